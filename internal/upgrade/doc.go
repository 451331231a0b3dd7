// SPDX-License-Identifier: MPL-2.0

// Package upgrade plans the stages that take a cluster to a target version of its API
// servers, the only components that it treats in a special way. Package step checks that
// each stage is possible. Start reading in plan.go, then next.go, which decides on the
// next stage.
package upgrade
