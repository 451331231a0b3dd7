# A managed control plane, with its version
terraform import versionskew_validation.cluster 1.30

# Any cluster, with a JSON object of the arguments that describe it, such as `cluster_id`
terraform import versionskew_validation.cluster '{"control_plane_version": "1.30", "node_pools": {"gpu": {"kubelet": "1.28"}}}'
