# A node that Karpenter has not replaced yet is too old for the version that the plan sets.
mock_provider "aws" {}

mock_provider "kubernetes" {
  mock_data "kubernetes_nodes" {
    defaults = {
      nodes = [{
        # OpenTofu requires every attribute of a nested object.
        metadata = [{
          name             = "ip-10-0-1-17.ec2.internal"
          labels           = { "karpenter.sh/nodepool" = "default" }
          annotations      = {}
          generation       = 0
          resource_version = ""
          uid              = ""
        }]
        spec = []
        status = [{
          addresses   = []
          allocatable = {}
          capacity    = {}
          conditions  = []
          node_info = [{
            kubelet_version           = "v1.32.9-eks-113cf36"
            architecture              = ""
            boot_id                   = ""
            container_runtime_version = ""
            kernel_version            = ""
            kube_proxy_version        = ""
            machine_id                = ""
            operating_system          = ""
            os_image                  = ""
            system_uuid               = ""
          }]
        }]
      }]
    }
  }
}

run "too_old" {
  command = plan

  variables {
    kubernetes_version = "1.36"
    gpu_ami            = { id = "ami-0123456789abcdef1", kubelet = "1.34" }
  }

  expect_failures = [check.running_nodes]
}
