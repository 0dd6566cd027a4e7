#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The kernel probe goes away under a running job: the job must finish with the
# right result and say what it has lost.

. "$(dirname "$0")/../tools/lib.sh"

pins=/sys/fs/bpf/equant-v1
cpu=$(sed -n 's/^Cpus_allowed_list:\t\([0-9]*\).*/\1/p' /proc/self/status)

why_not()
{
	missing_for_jobs
	[ "$(id -u)" -eq 0 ] || echo "loading the probe needs root"
}

reason=$(why_not)
if [ -n "$reason" ]; then
	echo "1..0 # SKIP $(echo "$reason" | paste -sd ';')"
	exit 4
fi
if ! "$equant" probe load > "$scratch/load" 2>&1; then
	echo "1..0 # SKIP the probe cannot be loaded: $(paste -sd ' ' "$scratch/load")"
	exit 4
fi
"$equant" probe unload > "$scratch/unload" 2>&1

plan 5

# However fast the machine is: the job has two records and computes.
both_registered()
{
	for _ in $(seq 200); do
		"$equant" probe status | grep -q ' 2 of ' && break
		sleep 0.05
	done
	sleep 0.2
}

# survives PATTERN COMMAND...: run a job, spoil the probe under it, look at both
survives()
{
	local pattern=$1 job

	shift
	"$equant" probe load > "$scratch/load" 2>&1 || return 1
	# On one CPU: a rank that is never switched has nothing to notice.
	taskset -c "$cpu" mpirun --oversubscribe --bind-to none -np 2 \
		"$mm" -n 200 -p 500 > "$scratch/job" 2>&1 &
	job=$!
	both_registered
	"$@" > "$scratch/spoil" 2>&1
	wait $job
	local status=$?
	"$equant" probe unload > "$scratch/unload" 2>&1
	[ ! -e "$pins" ] || { echo "# $pins is still there"; return 1; }
	if [ $status -eq 0 ] && grep -q verified "$scratch/job" &&
	   [ "$(grep -c "$pattern" "$scratch/job")" -eq 2 ]; then
		return 0
	fi
	echo "# exit status $status; expected twice: $pattern"
	sed 's/^/# /' "$scratch/job" "$scratch/spoil"
	return 1
}

export EQUANT_CHECK=on
succeeds "an unloaded probe is noticed by every rank, which goes on with schedstat" \
	survives '^equant: rank [01]: bpf: lost: .*; schedstat: used' "$equant" probe unload
succeeds "a removed directory of pins is noticed" survives '^equant: rank [01]: bpf: lost: .*; schedstat: used' rm -r "$pins"
succeeds "a probe that is replaced is noticed" survives '^equant: rank [01]: bpf: lost: .*; schedstat: used' \
	"$equant" probe load --replace
succeeds "one detached program is noticed" survives '^equant: rank [01]: bpf: lost: .*; schedstat: used' \
	sh -c "rm $pins/*switch*"

never_loaded()
{
	local output

	output=$(EQUANT_PROBE=bpf mpirun --oversubscribe --bind-to none -np 2 "$mm" -n 20 -p 2 2>&1) &&
		return 1
	echo "$output" | grep -q 'bpf: .*equant probe load'
}
succeeds "a probe that was never loaded is an error when it is asked for" never_loaded

finish
