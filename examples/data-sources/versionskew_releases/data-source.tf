data "versionskew_releases" "calendar" {
  as_of = "2026-11-21"
}

output "supported_minors" {
  value = data.versionskew_releases.calendar.supported
}

output "end_of_life" {
  value = data.versionskew_releases.calendar.releases["1.36"].end_of_life
}
