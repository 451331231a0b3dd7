clusters = {
  shop   = { control_plane_version = "1.36", node_pools = { general = "1.36", gpu = "1.35" } }
  batch  = { control_plane_version = "1.37", node_pools = { general = "1.32" } }
  legacy = { control_plane_version = "1.34", node_pools = { general = "1.30", windows = "1.30" } }
}
