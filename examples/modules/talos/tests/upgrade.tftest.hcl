# The life of a cluster, with mocked providers. Each run starts from the state that the
# previous run has left. A run fails if the guard fails its plan.

mock_provider "hcloud" {}
mock_provider "talos" {}
mock_provider "kubernetes" {}

variables {
  cluster_name       = "production"
  kubernetes_version = "1.35.5"
  control_plane      = ["cp-0", "cp-1", "cp-2"]
  workers            = ["worker-0"]
}

run "created" {
  assert {
    condition     = length(output.control_plane_addresses) == 3
    error_message = "There should be three control-plane machines."
  }
}

# Only the new worker gets the new version. talosctl upgrade-k8s has upgraded the
# cluster before.
run "new_worker" {
  override_data {
    target = data.kubernetes_nodes.running
    values = {
      nodes = [
        for name in ["cp-0", "cp-1", "cp-2", "worker-0"] : {
          # OpenTofu expects all attributes.
          metadata = [{ name = name, annotations = {}, generation = 0, labels = {}, resource_version = "1", uid = name }]
          spec     = []
          status = [{
            addresses = [], allocatable = {}, capacity = {}, conditions = []
            node_info = [{
              kubelet_version = "v1.36.1", kube_proxy_version = "v1.36.1", architecture = "arm64", boot_id = "", container_runtime_version = "",
              kernel_version  = "", machine_id = "", operating_system = "linux", os_image = "", system_uuid = ""
            }]
          }]
        }
      ]
    }
  }
  override_data {
    target = data.kubernetes_resources.api_servers
    values = {
      objects = [
        for name in ["cp-0", "cp-1", "cp-2"] : {
          spec = { nodeName = name, containers = [{ image = "registry.k8s.io/kube-apiserver:v1.36.1" }] }
        }
      ]
    }
  }

  variables {
    observe            = true
    kubernetes_version = "1.36.1"
    workers            = ["worker-0", "worker-1"]
  }

  assert {
    condition     = versionskew_validation.this.node_pools["worker-1"].kubelet == "1.36.1" && versionskew_validation.this.node_pools["worker-0"].kubelet == "1.36.1"
    error_message = "Existing machines should be declared with the version they run."
  }
}

run "full_version" {
  command = plan

  variables {
    kubernetes_version = "1.36"
  }

  expect_failures = [var.kubernetes_version]
}
