terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

data "versionskew_releases" "calendar" {
  # A release that this provider does not know yet, and a date that has moved.
  additional_releases = {
    "1.38" = { release_date = "2026-12-16" }
    "1.35" = { end_of_life = "2027-02-28" }
  }
}

output "supported_minors" {
  value = data.versionskew_releases.calendar.supported
}

output "end_of_life" {
  value = data.versionskew_releases.calendar.releases["1.36"].end_of_life
}
