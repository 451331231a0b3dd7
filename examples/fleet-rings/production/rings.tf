# A rule between clusters: production is never ahead of staging. The components are the
# rings, with the versions of their control planes. A plan fails if it upgrades a
# production cluster past a staging cluster.

data "terraform_remote_state" "staging" {
  backend = "local" # Use your backend.

  config = {
    path = "${path.module}/../staging/terraform.tfstate"
  }
}

data "versionskew_policy" "rings" {
  name = "rings"

  skew_rules = {
    production-staging = {
      subject   = "production"
      reference = "staging"
      scope     = "cluster"
      max_newer = 0
      reason    = "Every minor version runs in staging first."
    }
  }
}

resource "versionskew_validation" "rings" {
  policy = data.versionskew_policy.rings.json

  components = {
    staging    = values(data.terraform_remote_state.staging.outputs.clusters)[*].control_plane_version
    production = values(var.clusters)[*].control_plane_version
  }
}
