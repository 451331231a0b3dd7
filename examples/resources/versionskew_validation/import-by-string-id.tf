# Any cluster, by a JSON object of its attributes. For a managed control plane
# without node pools, use its version: id = "1.36".
import {
  to = versionskew_validation.cluster
  id = jsonencode({
    control_plane_version = "1.36"
    node_pools = {
      general = { kubelet = "1.36" }
      gpu     = { kubelet = "1.34" }
    }
  })
}
