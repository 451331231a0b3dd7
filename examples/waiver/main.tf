# Accepts a violation, with its location, the reason and an expiry date. Every plan shows
# it as a warning that quotes the reason. After the date, it is an error again.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

resource "versionskew_validation" "cluster" {
  control_plane_version = "1.36.4"
  node_pools = {
    general = { kubelet = "1.36.4" }
    gpu     = { kubelet = "1.32.13" }
  }

  waivers = {
    gpu-drivers = {
      rule      = "kubelet-apiserver"
      locations = ["node_pools[\"gpu\"]"]
      reason    = "The driver for newer kernels comes with the next image."
      expires   = "2099-12-31"
    }
  }
}
