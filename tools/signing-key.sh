#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Imports the key that signs releases, and prints its fingerprint. It signs something
# once, so that gpg-agent caches the passphrase and gpg does not ask for it later.
#
#   GPG_PRIVATE_KEY=... PASSPHRASE=... signing-key.sh
set -eu

printf '%s\n' "$GPG_PRIVATE_KEY" | gpg --batch --quiet --import
# Two hours are enough for a release.
printf 'default-cache-ttl:0:7200\nmax-cache-ttl:0:7200\n' | gpgconf --change-options gpg-agent > /dev/null
fingerprint=$(gpg --batch --list-secret-keys --with-colons | sed -n '/^fpr/{s/[^0-9A-F]//g;p;q;}')
printf '%s' "$PASSPHRASE" | gpg --batch --quiet --pinentry-mode loopback --passphrase-fd 0 \
	--local-user "$fingerprint" --output - --detach-sign "$0" > /dev/null
echo "$fingerprint"
