# Any cluster, by a JSON object of the cluster attributes. What is imported is
# not judged: it is where the first upgrade starts, and may be broken. A managed
# control plane on its own is its version: id = "1.36".
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
