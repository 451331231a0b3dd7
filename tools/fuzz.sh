#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Fuzzes every target of some packages for a time, and fails if one of them
# finds something. All of them get their turn.
#
# When the time of a target is up, the Go tool now and then reports its own
# deadline as a failure. That is no finding: a finding names the input, or the
# seed, that fails.
#
#   fuzz.sh TIME PACKAGE...
set -eu

time=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# only_deadline reports whether the deadline is all that a run has failed with.
only_deadline() {
	! grep -Eq '^(panic|fatal error)|Failing input written to|^ +--- FAIL' "$1" &&
		[ "$(grep -c -- '--- FAIL' "$1")" = 1 ] &&
		[ "$(sed -n '/^--- FAIL/,/^FAIL/p' "$1" | sed '1d;$d' | grep -v '^ *context deadline exceeded$' | grep -c .)" = 0 ] &&
		grep -q '^ *context deadline exceeded$' "$1"
}

failed=''
for package in "$@"; do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz'); do
		echo "--- $target $package"
		if go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 100x "$package" > "$log" 2>&1; then
			tail -n 2 "$log"
			continue
		fi
		cat "$log"
		if only_deadline "$log"; then
			echo "$target found nothing: only its own deadline has stopped it."
		else
			failed="$failed $target"
		fi
	done
done
if [ -n "$failed" ]; then
	echo "Found something:$failed. What they found is in testdata/fuzz; commit it with the repair." >&2
	exit 1
fi
