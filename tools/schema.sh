#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Prints the schema of the provider as the documentation generator reads it.
#
#   schema.sh CLI BINARY VERSION
set -eu
. "$(dirname "$0")/sandbox.sh"

sandbox "$1" "$2" "$3" "$here/examples/provider"
# The generator looks for the short name; each CLI writes that of its registry.
"$1" providers schema -json | sed 's#"registry\.[a-z.]*/versionskew/versionskew"#"versionskew"#'
