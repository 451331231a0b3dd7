talos_version      = "v1.13.2"
kubernetes_version = "v1.36.1"
