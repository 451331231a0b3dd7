# EKS chooses all versions. A mock sets attributes that are not configured to random text,
# which is not a version, so it needs defaults.
mock_provider "aws" {
  mock_resource "aws_eks_cluster" {
    defaults = { version = "1.36" }
  }
  mock_resource "aws_eks_addon" {
    defaults = { addon_version = "v1.36.0-eksbuild.2" }
  }
}

variables {
  name                    = "production"
  eks_managed_node_groups = { general = {} }
}

# Not command = plan: the versions are only known after the apply.
run "created" {
  assert {
    condition     = versionskew_validation.this.control_plane_version == "1.36" && versionskew_validation.this.node_pools["general"].kubelet == "1.36"
    error_message = "The versions that EKS chooses should be checked and recorded."
  }
}
