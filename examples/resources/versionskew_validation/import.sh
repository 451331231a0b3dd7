# A managed control plane, by its version
terraform import versionskew_validation.cluster 1.30

# Any cluster, by a JSON object of its attributes, `cluster_id` included
terraform import versionskew_validation.cluster '{"control_plane_version": "1.30", "node_pools": {"gpu": {"kubelet": "1.28"}}}'
