#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Copies the provider into a plugin mirror for Terraform and OpenTofu.
#
#   mirror.sh BINARY VERSION DIRECTORY
set -eu

platform="$(go env GOOS)_$(go env GOARCH)"
for host in registry.terraform.io registry.opentofu.org; do
	place="$3/$host/versionskew/versionskew/$2/$platform"
	mkdir -p "$place"
	cp "$1" "$place/terraform-provider-versionskew_v$2$(go env GOEXE)"
done
