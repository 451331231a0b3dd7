observe            = true
kubernetes_version = "1.36.1"
workers            = ["worker-0", "worker-1"]
