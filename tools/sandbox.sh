# SPDX-License-Identifier: MPL-2.0
#
# shellcheck shell=sh
# Other scripts source this file. It defines a function that isolates a CLI from the
# user's configuration:
#
#   sandbox CLI BINARY VERSION MODULE
#
# The function copies the module to a temporary directory, changes to the copy, and
# initializes it with the provider binary. The directory is removed when the script
# exits.

here=$(cd "$(dirname "$0")/.." && pwd)

sandbox() {
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	"$here/tools/mirror.sh" "$2" "$3" "$work/mirror"
	cat > "$work/cli.tfrc" <<-CONFIG
		provider_installation {
		  filesystem_mirror {
		    path = "$work/mirror"
		  }
		}
	CONFIG
	export TF_CLI_CONFIG_FILE="$work/cli.tfrc" CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1
	unset TF_DATA_DIR TF_PLUGIN_CACHE_DIR TF_WORKSPACE TF_CLI_ARGS TF_CLI_ARGS_init TF_CLI_ARGS_plan

	cp -r "$4" "$work/module"
	cd "$work/module" || exit
	"$1" init -input=false > "$work/init.log" 2>&1 || { cat "$work/init.log" >&2; exit 1; }
}
