#!/bin/sh
# Plans examples/quickstart, first as it is, then with a node pool that is too
# old, in a directory of its own.
#
#   demo.sh CLI BINARY VERSION
set -eu

cli=$1
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/tools/mirror.sh" "$2" "$3" "$work/mirror"
# The demo has a CLI configuration of its own: the user's is not read.
cat > "$work/cli.tfrc" <<CONFIG
provider_installation {
  filesystem_mirror {
    path = "$work/mirror"
  }
}
CONFIG
export TF_CLI_CONFIG_FILE="$work/cli.tfrc" CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1
unset TF_DATA_DIR TF_PLUGIN_CACHE_DIR TF_WORKSPACE TF_CLI_ARGS TF_CLI_ARGS_init TF_CLI_ARGS_plan

cp -r "$here/examples/quickstart" "$work/quickstart"
cd "$work/quickstart"
"$cli" init -input=false > "$work/init.log" 2>&1 || { cat "$work/init.log"; exit 1; }

say() { printf '\n\033[1m%s\033[0m\n\n' "$1"; }

say 'A sound cluster: control plane 1.31.2, node pools 1.31.2 and 1.30.6'
"$cli" plan -input=false

say 'An unsound one: the node pool "gpu" stays at 1.27.16'
if "$cli" plan -input=false -var 'node_pools={general="1.31.2",gpu="1.27.16"}'; then
	echo 'The plan passed, although it should have been refused.' >&2
	exit 1
fi

say 'The plan was refused, as it should be: nothing would have been touched.'
