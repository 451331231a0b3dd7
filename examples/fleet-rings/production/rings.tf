# Production is never ahead of staging: a rule between clusters. The components
# are the rings, the versions those of their control planes. A plan that moves any
# cluster of production past a cluster of staging is refused.

data "terraform_remote_state" "staging" {
  backend = "local" # your backend

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
      reason    = "Every minor runs in staging first."
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
