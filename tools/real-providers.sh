#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Initializes, validates and tests the examples that use providers of platforms, with
# the newest version of each provider and public module.
#
#   real-providers.sh CLI BINARY VERSION [MIRROR]
#
# Providers come from the registry, or from the plugin mirror in the directory MIRROR.
# With a mirror, examples that call public modules or need other providers are skipped.
# The tests mock all providers, so no credentials are needed.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
cli=$1 mirror=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/tools/mirror.sh" "$2" "$3" "$work/mirror"

others='direct {'
if [ -n "$mirror" ]; then
	others="filesystem_mirror {
    path    = \"$(cd "$mirror" && pwd)\""
fi
cat > "$work/cli.tfrc" <<CONFIG
provider_installation {
  filesystem_mirror {
    path    = "$work/mirror"
    include = ["versionskew/versionskew"]
  }
  $others
    exclude = ["versionskew/versionskew"]
  }
}
CONFIG
export TF_CLI_CONFIG_FILE="$work/cli.tfrc" CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1
unset TF_DATA_DIR TF_WORKSPACE TF_CLI_ARGS TF_CLI_ARGS_init TF_CLI_ARGS_test TF_CLI_ARGS_validate
# Examples share providers, which are large.
export TF_PLUGIN_CACHE_DIR="$work/cache"
mkdir "$TF_PLUGIN_CACHE_DIR"

cp -r "$here/examples" "$work/examples"
# Remove upper limits. Only an exact version selects a pre-release, so remove that, too.
find "$work/examples" -name '*.tf' -exec sed -E -i.bak \
	-e 's/^( *version *= "[^"]*), *< *[0-9.]+"/\1"/' \
	-e 's/^( *version *= ")~> */\1>= /' \
	-e '/^ *version *= "[0-9][0-9.]*-[^"]*"/d' {} +

failed='' skipped='' passed=0
for example in modules/aks modules/eks modules/gke modules/kubeadm-ha modules/talos fleet \
	guides/ci guides/cluster-api guides/other-platforms guides/wiring \
	guides/aks/public-module guides/aks/verified-module guides/eks/public-module guides/gke/public-module; do
	cd "$work/examples/$example"
	if ! "$cli" init -input=false -no-color > init.log 2>&1; then
		if [ -n "$mirror" ] && grep -Eq 'Failed to query available provider packages|registry module|Module not found|module registry' init.log; then
			skipped="$skipped $example"
		else
			failed="$failed $example"
			echo "== $example: init fails"
			cat init.log
		fi
		continue
	fi
	echo "== $example"
	"$cli" version -no-color | sed -n 's/^+ provider /  /p'
	if "$cli" validate -no-color && { ! [ -d tests ] || "$cli" test -no-color; }; then
		passed=$((passed + 1))
	else
		failed="$failed $example"
	fi
done

echo "passed: $passed"
echo "skipped:${skipped:- none}"
echo "failed:${failed:- none}"
[ -z "$failed" ] && [ "$passed" -gt 0 ]
