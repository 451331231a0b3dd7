variable "ovhcloud_version" {
  type    = string
  default = "1.34"
}

resource "ovh_cloud_project_kube" "shop" {
  service_name = "0123456789abcdef0123456789abcdef"
  name         = "shop"
  region       = "GRA11"
  version      = var.ovhcloud_version
}

# OVHcloud documents no rules of its own, so the upstream policy applies. Node pools have
# no version of their own.
resource "versionskew_validation" "ovhcloud" {
  policy                = "kubernetes"
  control_plane_version = ovh_cloud_project_kube.shop.version

  depends_on = [ovh_cloud_project_kube.shop]
}
