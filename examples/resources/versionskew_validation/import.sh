# A managed control plane, with its version
terraform import versionskew_validation.cluster 1.30

# Any cluster, with the arguments that describe it as a JSON object
terraform import versionskew_validation.cluster '{"control_plane_version": "1.30", "node_pools": {"gpu": {"kubelet": "1.28"}}}'
