#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The competing load: what it refuses, and whether it takes what it says.

. "$(dirname "$0")/lib.sh"

plan 32

exits 2 "unknown word 'steady'" "an unknown word is named" "$load" steady
exits 2 "'cpu' is given twice" "a word that is there twice is named" "$load" cpu=0 duty=0.5 period=1 cpu=0
exits 2 "'x' is not a number" "a period that is no number is named" "$load" period=x duty=0.5
exits 2 'period=0: must be' "a period of nothing is refused" "$load" period=0 duty=0.5
exits 2 'period=-1: must be' "a negative period is refused" "$load" period=-1 duty=0.5
exits 2 'duty=1.01: must be' "a duty above 1 is refused" "$load" period=1 duty=1.01
exits 2 'duty=-0.1: must be' "a duty below 0 is refused" "$load" period=1 duty=-0.1
exits 2 "'nan' is not a number" "NaN is refused" "$load" period=1 duty=nan
exits 2 'belong together' "a period needs a duty" "$load" period=1
exits 2 'exclude each other' "constant excludes a period" "$load" constant period=1 duty=0.5
exits 2 'phase= needs' "a phase needs a period" "$load" phase=1
exits 2 'cpu=1023: no such CPU' "a CPU that does not exist is named" "$load" cpu=1023
exits 2 'not a whole number' "a CPU number is whole" "$load" cpu=0.5
exits 2 'nice=20: must be' "a nice value out of range is refused" "$load" nice=20
exits 0 'Usage: load' "help is no error" "$load" --help
exits 2 "unknown word '--help'" "help is no load" "$load" --help check
exits 0 'elapsed=0\.[0-9]* s cpu_time' "it is a command of equant, too" "$equant" load seconds=0.1,constant nice=1
exits 2 "'cpu' is given twice" "... which refuses the same" "$equant" load cpu=0,constant cpu=0
exits 2 "'check': unknown word" "... and what users do not mean" "$equant" load check
exits 2 'no words' "... such as nothing" "$equant" load ''
exits 1 'standard output: No space left' "a full disk is an error" \
	sh -c "'$load' seconds=0.01 > /dev/full"
silent "check only checks" "$load" check cpu=0 period=1 duty=0.5

# told_before_it_begins NAME: it comes while the load is blocking it, and before it has begun.
told_before_it_begins()
{
	timeout -s KILL 30 perl -MPOSIX -e '
		my $signal = shift;
		sigprocmask(SIG_BLOCK, POSIX::SigSet->new(eval "SIG$signal"));
		kill $signal => $$;
		exec @ARGV' "$1" "$load" constant | grep -q '^.*elapsed='
}

succeeds "a signal that was blocked when it came gives an account" told_before_it_begins TERM
succeeds "... also that of the terminal's quit key" told_before_it_begins QUIT

hung_up()
{
	env --ignore-signal=HUP "$load" constant seconds=1 > "$scratch/line" &
	sleep 0.3
	kill -HUP $!
	wait $! && grep -q 'elapsed=[1-9]' "$scratch/line"
}
succeeds "what nohup ignores does not end it" hung_up

# Seconds that interrupts and the hypervisor took from all CPUs so far.
stolen()
{
	awk -v t="$(getconf CLK_TCK)" '/^cpu / { print ($7 + $8 + $9) / t }' /proc/stat
}

# run WORD...: sets elapsed, cpu and wait to its own account; own is the kernel's
run()
{
	local before

	TIMEFORMAT='%U %S'
	before=$(stolen)
	{ time "$load" "$@" > "$scratch/line"; } 2> "$scratch/times" || return 1
	lost=$(awk -v a="$(stolen)" -v b="$before" 'BEGIN { print a - b }')
	own=$(awk '{ print $1 + $2 }' "$scratch/times")
	sed 's/[a-z_]*=//g' "$scratch/line" > "$scratch/numbers"
	read -r _ _ elapsed _ cpu _ wait _ < "$scratch/numbers" && [ -n "$wait" ]
}

explain()
{
	sed 's/^/# /' "$scratch/line"
	echo "# the kernel's account: $own s, stolen meanwhile: $lost s"
	return 1
}

cpu_right()
{
	near "$cpu" "$own" 0.02 || explain
}

# Waiting for a CPU that others use is part of wanting it; time that is stolen
# from the machine is in neither.
wanted()
{
	awk -v c="$cpu" -v w="$wait" -v l="$lost" -v g="$1" \
		'BEGIN { exit !(c + w <= 1.02 * g && c + w + l >= 0.98 * g) }' || explain
}

if [ -r /proc/self/schedstat ]; then
	run seconds=2 constant
	cpu_right
	report $? "a constant load reports its CPU time within 2 %"
	wanted 2
	report $? "a constant load wants the CPU all the time"
	run seconds=4 period=0.5 duty=0.5
	cpu_right
	report $? "an oscillating load reports its CPU time within 2 %"
	wanted 2
	report $? "a duty of 0.5 wants the CPU half of the time"
else
	for sentence in "a constant load reports its CPU time within 2 %" \
		"a constant load wants the CPU all the time" \
		"an oscillating load reports its CPU time within 2 %" \
		"a duty of 0.5 wants the CPU half of the time"; do
		skip "$sentence" "/proc/self/schedstat is missing"
	done
fi

monotonic_ns()
{
	perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC \
		-e 'printf "%.0f\n", 1e9 * clock_gettime(CLOCK_MONOTONIC)'
}

# Within a microsecond, which a double of that size cannot tell.
began_now()
{
	local before after start

	before=$(monotonic_ns)
	start=$("$load" seconds=0.01 constant | sed -n 's/.* start=\([0-9]*\) ns$/\1/p')
	after=$(monotonic_ns)
	[ -n "$start" ] && [ "$start" -ge $((before - 1000)) ] &&
		[ "$start" -le $((after - 10000000 + 1000)) ]
}
succeeds "a load says when its first edge was" began_now

stopped_while_resting()
{
	"$load" period=1000 duty=0 > "$scratch/line" &
	sleep 0.3
	kill $! && wait $! && grep -q 'elapsed=0\.' "$scratch/line"
}
succeeds "a resting load ends at once when told to" stopped_while_resting

orphan_ends()
{
	local pid

	pid=$(bash -c '"$1" constant > /dev/null & sleep 0.3; echo $!' - "$load")
	sleep 0.3
	! grep -qs '^State:.[^Z]' "/proc/$pid/status"
}
succeeds "a load dies with its parent" orphan_ends

finish
