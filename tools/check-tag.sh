#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Fails unless TAG is the tag of VERSION, and the commit that is checked out is on main.
# A tag on any other commit would release code that nobody has merged.
#
#   check-tag.sh TAG VERSION
set -eu

if [ "$1" != "v$2" ]; then
	echo "The tag is $1, but CHANGELOG.md starts with version $2." >&2
	exit 1
fi
if ! git merge-base --is-ancestor HEAD refs/remotes/origin/main; then
	echo "The commit of $1 is not on main. Merge it first, and then tag the merged commit." >&2
	exit 1
fi
