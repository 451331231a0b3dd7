data "versionskew_policy" "cluster" {
  extends = "eks"

  skew_rules = {
    # An inherited rule. Only the given fields change.
    kubelet-apiserver = {
      max_older = 1
      reason    = "We replace nodes with every control-plane upgrade."
    }
  }

  minors = ["1.35", "1.36"] # the rows of the table
}

resource "versionskew_validation" "cluster" {
  control_plane_version = "1.36.2"
  node_pools            = { gpu = { kubelet = "1.36.2" } }
  policy                = data.versionskew_policy.cluster.json
}

output "table" {
  value = data.versionskew_policy.cluster.table
}
