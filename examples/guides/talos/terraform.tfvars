cluster_name       = "production"
kubernetes_version = "1.35.5"
control_plane      = ["cp-0", "cp-1", "cp-2"]
workers            = ["worker-0"]
