kubernetes_version   = "1.36.1"
orchestrator_version = "1.35.5"
