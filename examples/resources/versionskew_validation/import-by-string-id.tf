# The versions that run, as JSON. To import only a managed control plane, use its version
# as the ID: "1.36".
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
