package upgrade

// ApplyOrder is the order in which a configuration applies the moves of the control
// plane and those of node pools. Clients and further components move at any time.
type ApplyOrder string

// The orders. The zero value is ControlPlaneFirst.
const (
	ControlPlaneFirst ApplyOrder = "control_plane_first"
	NodePoolsFirst    ApplyOrder = "node_pools_first"
	Unordered         ApplyOrder = "unordered"
	Any               ApplyOrder = "any"
)

// ApplyOrders is in the order in which messages list them.
var ApplyOrders = []ApplyOrder{ControlPlaneFirst, NodePoolsFirst, Unordered, Any}
