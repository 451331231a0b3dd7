#!/bin/sh
# SPDX-License-Identifier: MPL-2.0
#
# Runs each fuzz target of the packages for TIME, and exits with an error if any
# target failed. A failure does not stop the remaining targets.
#
# When the time is up, the Go tool sometimes reports its own deadline as a failure.
# The script ignores that: a real failure names the input or seed that caused it.
#
#   fuzz.sh TIME PACKAGE...
set -eu

time=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# only_deadline succeeds if the log shows no failure other than the deadline.
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
			echo "$target found no failure: only its deadline stopped it."
		else
			failed="$failed $target"
		fi
	done
done
if [ -n "$failed" ]; then
	echo "Failed:$failed. The failing inputs are in testdata/fuzz. Commit them together with the fix." >&2
	exit 1
fi
