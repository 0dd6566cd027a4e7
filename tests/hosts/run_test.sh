#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# A job on two hosts where the other one gets no environment but what mpirun hands on, as by ssh: ranks there
# have the options of equant run, too.

. "$(dirname "$0")/lib.sh"

missing=$(missing_for_hosts)
if [ -n "$missing" ]; then
	echo "1..0 # SKIP $missing"
	exit 4
fi

cat > "$scratch/agent" <<- EOF
	#!/bin/sh
	exec env -i PATH="$PATH" HOME="$HOME" LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" tests/hosts/agent "\$@"
EOF
chmod +x "$scratch/agent"

# across OPTION...: two ranks on two hosts; where rank 0 is on another one reports need a folder that both see
mkdir "$scratch/reports"
export EQUANT_REPORT=$scratch/reports
across()
{
	local mm="$TEST_BUILD/libexec/equant/mm -n 96 -p 40"

	# shellcheck disable=SC2086
	limited 30 tests/hosts/hosts -n 2 "$TEST_BUILD/bin/equant" run "$@" -- \
		mpirun --mca plm_rsh_agent "$scratch/agent" --bind-to none --host h0:1,h1:1 \
		-np 1 $mm : -np 1 $mm
}

# says WORD
says()
{
	grep -q -- "$1" "$scratch/said"
}

plan 7
across --set EQUANT_CONTROL=tree --trace "$scratch/traces" > "$scratch/said" 2>&1
succeeds "ranks on another host have the options that are set" says "balanced by predicted rates\|balanced by measured rates"
succeeds "... and leave their traces" test -s "$scratch/traces/rows.1.trace"
EQUANT_CHECK=on across --balance off > "$scratch/said" 2>&1
succeeds "... and those of the environment" says "not balanced"
across --profile > "$scratch/said" 2>&1
succeeds "... and profiles where the hosts share a folder" \
	sh -c 'grep -q "^profile of 2 ranks" "$1" && grep -q "^   1 .*  h1$" "$1" && ! grep "left none" "$1"' - "$scratch/said"
unset EQUANT_REPORT
across --profile > "$scratch/said" 2>&1
succeeds "... and where they do not, those that are missing are told of" \
	sh -c 'grep -q "^profile of 2 ranks" "$1" && grep -q "^   0 .*  h0$" "$1" && grep -q "^1 of them left none: " "$1"' - "$scratch/said"
leaves_nothing -n 2
finish
