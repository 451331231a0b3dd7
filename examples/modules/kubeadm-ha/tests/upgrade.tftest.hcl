# The life of a cluster, with mocked providers. Each run starts from the state that the
# previous run has left. A run fails if the guard fails its plan.

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
    error_message = "Workers can be three minor versions behind."
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

run "full_versions" {
  command = plan

  variables {
    workers = { general = "1.36" }
  }

  expect_failures = [var.workers]
}
