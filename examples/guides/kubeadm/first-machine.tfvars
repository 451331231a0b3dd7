observe       = true
control_plane = { cp-0 = "1.36.3", cp-1 = "1.35.7", cp-2 = "1.35.7" }
