domain        = "example.internal"
control_plane = { cp-0 = "1.35.7", cp-1 = "1.35.7", cp-2 = "1.35.7" }
workers       = { worker-0 = "1.35.7", worker-1 = "1.34.10" }
