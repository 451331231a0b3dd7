#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Plans examples/quickstart unchanged, and then with a node pool that is too old.
#
#   demo.sh CLI BINARY VERSION
set -eu
. "$(dirname "$0")/sandbox.sh"

color=''
bold=$(printf '\033[1m') plain=$(printf '\033[0m')
if ! [ -t 1 ]; then
	color=-no-color bold='' plain=''
fi
say() { printf '\n%s%s%s\n\n' "$bold" "$1" "$plain"; }

cli=$1
sandbox "$1" "$2" "$3" "$here/examples/quickstart"

say 'Compatible versions: control plane 1.37.2, node pools 1.37.2 and 1.36.6'
"$cli" plan -input=false $color

say 'Incompatible versions: node pool "gpu" is still at 1.33.13'
if "$cli" plan -input=false $color -var 'node_pools={general="1.37.2",gpu="1.33.13"}'; then
	echo 'The plan succeeded, but it should have failed.' >&2
	exit 1
fi

say 'The plan failed, as it should. Nothing was changed.'
