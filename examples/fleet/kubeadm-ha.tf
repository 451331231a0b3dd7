# During an upgrade to 1.37. One API server has been upgraded.
module "kubeadm_ha" {
  source = "../modules/kubeadm-ha"

  domain        = "edge.example.com"
  control_plane = { cp-0 = "1.37.1", cp-1 = "1.36.4", cp-2 = "1.36.4" }
  workers       = { general = "1.36.4", storage = "1.34.9" }
}
