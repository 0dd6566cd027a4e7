# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=bash
#
# What the tests of the command have in common.

. "$(dirname "${BASH_SOURCE[0]}")/../tree/lib.sh"

equant=$TEST_BUILD/bin/equant
load=$TEST_BUILD/libexec/equant/load
mm=$TEST_BUILD/libexec/equant/mm

# exits STATUS PATTERN SENTENCE COMMAND...: ok when the exit status is right
# and what it prints, on both outputs together, matches the basic regular expression
exits()
{
	local expected=$1 pattern=$2 sentence=$3 status

	shift 3
	"$@" > "$scratch/output" 2>&1 < /dev/null
	status=$?
	if [ $status -eq "$expected" ] && grep -q -e "$pattern" "$scratch/output"; then
		report 0 "$sentence"
		return
	fi
	echo "# exit status $status, expected $expected; expected to find: $pattern"
	sed 's/^/# /' "$scratch/output"
	report 1 "$sentence"
}

# Is there everything that a job needs? Prints what is missing.
missing_for_jobs()
{
	command -v mpirun > /dev/null || echo "mpirun is missing"
	[ -x "$mm" ] || echo "mm is not built"
}

# near VALUE GOAL FRACTION
near()
{
	awk -v v="$1" -v g="$2" -v f="$3" 'BEGIN { d = v - g; exit !((d < 0 ? -d : d) <= f * g) }'
}
