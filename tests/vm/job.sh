#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# In the guest: a job of two ranks, one beside a busy process, is balanced by what
# the kernel's part says.

. "$(dirname "$0")/../tools/lib.sh"

reason=$(missing_for_jobs)
if [ -n "$reason" ]; then
	echo "1..0 # SKIP $(echo "$reason" | paste -sd ';')"
	exit 4
fi

# is EXPECTED GOT SENTENCE
is()
{
	[ "$1" = "$2" ] || echo "# expected: $1, got: $2"
	[ "$1" = "$2" ]
	report $? "$3"
}

plan 15

# job PROBE: long beside a moment in which the host leaves one of the emulated CPUs without time.  Its ranks
# poll: who wants a CPU all the time beside another one has half of it, who sleeps at times more of the rest.
# A product takes several quanta, so that work is split in proportion to the shares.
job()
{
	local products=40

	[ -z "${GUEST_EXACT:-}" ] || products=160
	rm -rf "$scratch/traces"
	EQUANT_CHECK=on EQUANT_WAIT=spin EQUANT_STEADY=off "$equant" run --probe "$1" --json --output "$scratch/report" \
		--trace "$scratch/traces" --load cpu=0,constant -- \
		mpirun --bind-to core -np 2 "$mm" -n 192 -p $products
}

# of_ranks NAME: both values
of_ranks()
{
	grep -oE "\"$1\": *[^,}]*" "$scratch/report" | sed 's/.*: *//; s/"//g' | tail -n 2 | paste -sd ' '
}

# In all its time: sections begin when the other rank comes, so that they have more than the half.
half_a_cpu()
{
	local run wait

	read -ra run <<< "$(of_ranks total_run)"
	read -ra wait <<< "$(of_ranks total_wait)"
	near "${run[0]}" "${wait[0]}" 0.1
}

# By what was measured, and in the end they did; more exactly where the emulated CPUs are equally fast all the time.
to_compute_equally_long()
{
	local wall bound=0.25

	[ -z "${GUEST_EXACT:-}" ] || bound=0.1
	"$TEST_BUILD/tests/vm/moves_worker" "$scratch"/traces/rows.*.trace || return 1
	read -ra wall <<< "$(of_ranks wall)"
	near "${wall[0]}" "${wall[1]}" $bound
}

# balanced_by PROBE
balanced_by()
{
	succeeds "$1: the job computes what it would alone" job "$1"
	is "$1 $1" "$(of_ranks probe)" "$1: both ranks were measured by the kernel"
	is "0 0" "$(of_ranks fallbacks)" "$1: neither lost its probe"
	succeeds "$1: the one beside the busy process is seen to have half a CPU" half_a_cpu
	succeeds "$1: work moves until both compute equally long" to_compute_equally_long
	[ $result -eq 0 ] || sed 's/^/# /' "$scratch/report"
}

enable()
{
	echo "$1" > /sys/module/equant/parameters/enabled
}

# Soon after both ranks have opened the device it is gone for all of them.
retire_in_mid_job()
{
	local users

	for _ in $(seq 600); do
		read -r users < /sys/module/equant/refcnt
		[ "$users" -lt 2 ] || break
		sleep 0.1
	done
	sleep 0.2
	enable N
}

job_that_loses_it()
{
	local status

	retire_in_mid_job &
	job kmod
	status=$?
	wait
	enable Y
	return $status
}

loses_the_module()
{
	succeeds "kmod: a job whose module is retired in the middle computes the same" job_that_loses_it
	is "1 1" "$(of_ranks fallbacks)" "kmod: both ranks lost their probe, once"
	is "schedstat schedstat" "$(of_ranks probe)" "kmod: both went on with another one"
}

succeeds "the BPF program is loaded" "$equant" probe load
balanced_by bpf
succeeds "the BPF program is unloaded" "$equant" probe unload
if [ -e /dev/equant ]; then
	balanced_by kmod
	loses_the_module
else
	for _ in $(seq 8); do
		skip "kmod" "the module is not loaded"
	done
fi
finish
