# One life of one cluster, without machines: each run starts from what the one
# before has left. A plan that the guard refuses fails a run.

mock_provider "ssh" {}
mock_provider "kubernetes" {}

variables {
  domain        = "example.internal"
  control_plane = { cp-0 = "1.35.7", cp-1 = "1.35.7", cp-2 = "1.35.7" }
  workers       = { general = "1.35.7", gpu = "1.33.12" }
}

run "created" {
  assert {
    condition     = output.worker_versions["gpu"] == "1.33.12"
    error_message = "Workers may be three minors behind."
  }
}

run "first_machine" {
  variables {
    control_plane = { cp-0 = "1.36.3", cp-1 = "1.35.7", cp-2 = "1.35.7" }
  }
}

run "other_machines" {
  variables {
    control_plane = { cp-0 = "1.36.3", cp-1 = "1.36.3", cp-2 = "1.36.3" }
  }
}

run "workers" {
  variables {
    control_plane = { cp-0 = "1.36.3", cp-1 = "1.36.3", cp-2 = "1.36.3" }
    workers       = { general = "1.36.3", gpu = "1.33.12" }
  }
}

run "whole_versions" {
  command = plan

  variables {
    workers = { general = "1.36" }
  }

  expect_failures = [var.workers]
}
