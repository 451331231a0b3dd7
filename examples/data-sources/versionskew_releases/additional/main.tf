terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

data "versionskew_releases" "calendar" {
  as_of = "2027-03-01"

  additional_releases = {
    "1.39" = { release_date = "2027-04-21" } # not in the calendar yet
    "1.35" = { end_of_life = "2027-02-28" }  # corrected
  }
}

output "status" {
  value = { for minor, release in data.versionskew_releases.calendar.releases : minor => release.status if release.status != "end_of_life" }
}
