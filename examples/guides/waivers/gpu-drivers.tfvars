waivers = {
  gpu-drivers = {
    rule      = "kubelet-apiserver"
    locations = ["node_pools[\"gpu\"]"]
    reason    = "OPS-1234: the driver for newer kernels comes with the next image."
    expires   = "2027-01-31"
  }
}
