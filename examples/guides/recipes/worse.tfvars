clusters = {
  shop  = { control_plane_version = "1.36", node_version = "1.35" }
  batch = { control_plane_version = "1.37", node_version = "1.32" }
}
