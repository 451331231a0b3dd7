#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Prints the schema of the provider as tfplugindocs reads it.
#
#   schema.sh CLI BINARY VERSION
set -eu
. "$(dirname "$0")/sandbox.sh"

sandbox "$1" "$2" "$3" "$here/examples/provider"
# tfplugindocs looks for the short name, but each CLI prints the address with the
# host of its registry.
"$1" providers schema -json | sed 's#"registry\.[a-z.]*/versionskew/versionskew"#"versionskew"#'
