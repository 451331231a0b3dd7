// SPDX-License-Identifier: MPL-2.0

// Package step checks one step: the change from one combination of versions to another.
//
// A step is refused if a component moves further than a step rule allows, or if
// every order of its moves goes through a combination that violates a rule. The
// package applies the pair predicate of package skew to combinations in which some
// instances have moved and others have not. The graph of a step knows neither
// components nor directions. That API servers move before kubelets in an upgrade, and
// after them in a rollback, follows from the rules. Start reading in step.go, then
// graph.go.
package step
