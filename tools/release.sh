#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Builds a release into dist/ like a tag does, but does not publish it. It builds from
# a clone of the last commit, so that uncommitted files and the path of this directory
# cannot influence the result.
#
#   release.sh VERSION
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VERSION="$1" PATH="$here/bin:$PATH"

skip=--skip=sign
if command -v gpg > /dev/null; then
	# Sign with a temporary key, to test that signing works.
	skip=
	export GNUPGHOME="$work/gnupg"
	mkdir -m 700 "$GNUPGHOME"
	trap 'gpgconf --kill all; rm -rf "$work"' EXIT
	gpg --batch --quiet --passphrase '' --quick-generate-key 'dry run' rsa3072 sign never
	GPG_FINGERPRINT=$(gpg --batch --list-keys --with-colons | sed -n '/^fpr/{s/[^0-9A-F]//g;p;q;}')
	export GPG_FINGERPRINT
fi

git clone --quiet "$here" "$work/clone"
cd "$work/clone"
goreleaser check
goreleaser release --snapshot --clean --timeout 3h $skip

# A release also publishes the manifest. Add it, and check that all files are there.
cd dist
name="terraform-provider-versionskew_$VERSION"
cp ../terraform-registry-manifest.json "${name}_manifest.json"
if command -v sha256sum > /dev/null; then
	sha256sum --check --quiet "${name}_SHA256SUMS"
else
	shasum -a 256 --check --quiet "${name}_SHA256SUMS"
fi
# Compare the notices with the modules that Go recorded in the binaries.
go version -m */terraform-provider* > "$work/binaries"
awk '$1 == "dep" { print $2, $3 }' "$work/binaries" | sort -u | while read -r module; do
	grep -q "^$module, LICENSE" ../bin/THIRD_PARTY_NOTICES || { echo "THIRD_PARTY_NOTICES lacks $module." >&2; exit 1; }
done
[ -n "$skip" ] || gpg --batch --quiet --verify "${name}_SHA256SUMS.sig" "${name}_SHA256SUMS"

rm -rf "$here/dist"
cp -r . "$here/dist"
echo "dist/ contains release $VERSION of commit $(git rev-parse --short HEAD)${skip:+, unsigned because gpg is not installed}."
