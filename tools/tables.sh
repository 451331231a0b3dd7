#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Applies examples/module-docs for each policy, and writes its table of allowed
# versions to DIRECTORY/POLICY.md.
#
#   tables.sh CLI BINARY VERSION DIRECTORY POLICY...
set -eu
. "$(dirname "$0")/sandbox.sh"

cli=$1 tables=$4
mkdir -p "$tables"
sandbox "$1" "$2" "$3" "$here/examples/module-docs"
shift 4
for policy in "$@"; do
	"$cli" apply -auto-approve -input=false -var "policy=$policy" > apply.log
	"$cli" output -raw table > "$tables/$policy.md"
done
