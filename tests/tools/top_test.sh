#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# equant top: what it refuses, and whether it shows what happens on the machine.

. "$(dirname "$0")/lib.sh"

plan 27

top()
{
	"$equant" top "$@"
}

exits 2 'unknown option --fast' "an unknown option is named" top --fast
exits 2 "unknown option now" "an argument is none" top now
exits 2 'value missing after --interval' "a missing value is named" top --interval
exits 2 "interval: 'soon' is not a number" "an interval is a number" top --interval soon
exits 2 "'0.01' is not a number from 0.05" "an interval has a least length" top --interval 0.01
exits 2 "'nan' is not a number" "NaN is no interval" top --interval nan
exits 2 "'0' is not a whole number above 0" "at least one reading" top --count 0
exits 2 "'2.5' is not a whole number" "readings are whole" top --count 2.5
exits 2 "'1.5' is not a share" "a threshold is a share" top --threshold 1.5
exits 2 "'nan' is not a share" "NaN is no share" top --threshold nan
exits 2 "no user 'nobody at all'" "an unknown user is named" top --user 'nobody at all'
exits 2 "'/bin/mm' is not the name" "a command has no path" top --command /bin/mm

without_probe()
{
	[ ! -e /sys/fs/bpf/equant-v1 ] || "$equant" probe unload > "$scratch/unload" 2>&1
	exits 1 'bpf: not available: .*equant probe load' "without a probe it says what to do" top
}
if [ "$(id -u)" -eq 0 ] || [ ! -e /sys/fs/bpf/equant-v1 ]; then
	without_probe
else
	skip "without a probe it says what to do" "there is one, and unloading needs root"
fi

why_not()
{
	missing_for_jobs
	[ "$(id -u)" -eq 0 ] || echo "loading the probe needs root"
	command -v script > /dev/null || echo "script(1) is missing"
	perl -MJSON::PP -e 1 2> /dev/null || echo "JSON::PP is missing"
}

reason=$(why_not | paste -sd ';')
if [ -z "$reason" ] && ! "$equant" probe load > "$scratch/load" 2>&1; then
	reason="the probe cannot be loaded: $(paste -sd ' ' "$scratch/load")"
fi
if [ -n "$reason" ]; then
	while [ $number -lt 27 ]; do
		skip "with ranks" "$reason"
	done
	finish
fi

cpus=$(perl -ne 'print join(" ", map { /(\d+)-(\d+)/ ? $1 .. $2 : $_ } split(/,/, $1))
	if /^Cpus_allowed_list:\s*(\S+)/' /proc/self/status)
first=${cpus%% *} last=${cpus##* }

# Eight ranks, four to a CPU, that always compute: nothing is balanced and nothing waits.
# Their name tells them from ranks of other jobs.
name=top$$
ln -s "$mm" "$scratch/$name"
EQUANT_BALANCE=off mpirun --oversubscribe --bind-to none \
	-np 4 taskset -c "$first" "$scratch/$name" -n 512 -p 1000000 : \
	-np 4 taskset -c "$last" "$scratch/$name" -n 512 -p 1000000 > "$scratch/job" 2>&1 &
job=$!

computing()
{
	for _ in $(seq 200); do
		top --command "$name" --json --count 1 --interval 0.1 > "$scratch/lines" 2>&1 &&
			perl -MJSON::PP -e 'my $t = decode_json(<>)->{tasks};
				exit !(@$t == 8 && !grep { $_->{run} + $_->{wait} < 0.95 } @$t)' \
				"$scratch/lines" && return
	done
	cat "$scratch/lines" "$scratch/job"
	return 1
}
succeeds "all ranks of a job are seen" computing

figures()
{
	perl tests/tools/top.pl "$@"
}

# load_on CPU SECONDS FILE
load_on()
{
	"$load" constant cpu="$1" seconds="$2" > "$scratch/$3"
}

# Readings all the time, while one load comes and goes, then another.
come_and_go()
{
	"$equant" top --command "$name" --json --interval 0.1 > "$scratch/lines" &
	local monitor=$!

	sleep 0.3
	load_on "$first" 2 load.first
	sleep 0.2
	load_on "$last" 2 load.last
	sleep 0.3
	kill $monitor
	wait $monitor
}
succeeds "readings end with status 0 when told to" come_and_go
succeeds "every reading is a line of JSON with all ranks" figures lines "$scratch/lines" 8
succeeds "readings agree with the account of a load" \
	figures agrees "$scratch/lines" "$scratch/load.first"
succeeds "readings agree with the account of a load that comes later, elsewhere" \
	figures agrees "$scratch/lines" "$scratch/load.last"

# on_terminal ROWS COLUMNS KEYS-COMMAND OPTION...: all of what a terminal got
on_terminal()
{
	local rows=$1 columns=$2 keys=$3 command

	shift 3
	command="trap : INT; stty rows $rows cols $columns; stty -g > $scratch/stty.before
		'$equant' top --command $name $*; echo \$? > $scratch/status; stty -g > $scratch/stty.after"
	rm -f "$scratch/status"
	eval "$keys" | SHELL=/bin/sh script -qc "$command" /dev/null > "$scratch/terminal"
	[ "$(cat "$scratch/status")" -eq 0 ] || { cat "$scratch/terminal"; return 1; }
	diff "$scratch/stty.before" "$scratch/stty.after"
}

# The screen is read while the load is there, all the time.
beside_load()
{
	load_on "$first" 3.5 load.beside &
	local load_pid=$!

	sleep 0.3
	on_terminal 24 80 'sleep 3.2' --count 2 --interval 1.2
	local status=$?

	wait $load_pid
	[ $status -eq 0 ] && figures screen "$scratch/terminal" 24 80
}
succeeds "a terminal is left as it was after so many readings" beside_load
succeeds "shares on the screen are those of the load" \
	figures shares "$scratch/terminal" "$scratch/load.beside"

small_terminal()
{
	on_terminal 8 60 "sleep 0.5; printf '\\033[B'; sleep 0.3; printf q; sleep 1" || return 1
	figures screen "$scratch/terminal" 8 60 && grep -q 'rows 1 to 4 of 8' "$scratch/terminal" &&
		grep -q 'rows 2 to 5 of 8' "$scratch/terminal"
}
succeeds "a small terminal scrolls, and q ends" small_terminal
succeeds "Ctrl-C ends and leaves the terminal as it was" \
	on_terminal 24 80 "sleep 0.5; printf '\\003'; sleep 1"

one_table()
{
	top --interval 0.2 > "$scratch/table" &&
		[ "$(grep -c " $name\$" "$scratch/table")" -eq 8 ] &&
		! grep -q "$(printf '\033')" "$scratch/table"
}
succeeds "what is no terminal gets one table" one_table

# of OPTION...: how many tasks
of()
{
	top --interval 0.1 "$@" | sed -n 's/^\([0-9]*\) tasks:.*/\1/p'
}

filtered()
{
	[ "$(of --user root)" -ge 8 ] && [ "$(of --user 0 --command "$name")" -eq 8 ] &&
		[ "$(of --user 4294967 --command "$name")" -eq 0 ] &&
		[ "$(of --command load)" -eq 0 ]
}
succeeds "tasks are told by user and command" filtered

# lost COMMAND...: the probe goes away under the command
lost()
{
	local monitor status

	"$equant" top --json --interval 0.1 > "$scratch/lines" 2> "$scratch/error" &
	monitor=$!
	sleep 0.5
	"$@" > "$scratch/spoil" 2>&1
	wait $monitor
	status=$?
	sed 's/^/error: /' "$scratch/error"
	[ $status -eq 1 ] && [ "$(wc -l < "$scratch/error")" -eq 1 ]
}
succeeds "a writer that was detached is noticed" lost sh -c 'rm /sys/fs/bpf/equant-v1/*switch*'
"$equant" probe unload > "$scratch/unload" 2>&1
"$equant" probe load > "$scratch/load" 2>&1
succeeds "a probe that was unloaded is noticed" lost "$equant" probe unload

kill $job
wait $job 2> /dev/null

# Where work is shared out, every rank knows its speed.
speeds()
{
	"$equant" probe load > "$scratch/load" 2>&1 || return 1
	mpirun --oversubscribe --bind-to none -np 2 "$scratch/$name" -n 200 -p 1000000 \
		> "$scratch/job" 2>&1 &
	local job=$! status=1

	for _ in $(seq 100); do
		top --command "$name" --json --count 1 --interval 0.1 > "$scratch/lines" 2>&1
		perl -MJSON::PP -e 'my $t = decode_json(<>)->{tasks};
			exit !(@$t == 2 && !grep { !($_->{speed} // 0) } @$t)' "$scratch/lines" \
			2> /dev/null && status=0 && break
	done
	top --command "$name" --interval 0.1 > "$scratch/table"
	kill $job
	wait $job 2> /dev/null
	"$equant" probe unload > "$scratch/unload" 2>&1
	sed 's/^/lines: /' "$scratch/lines" "$scratch/table"
	[ $status -eq 0 ] &&
		[ "$(awk '$NF == name && $9 + 0 > 0' name="$name" "$scratch/table" | wc -l)" -eq 2 ]
}
succeeds "ranks that are balanced show their speeds" speeds
finish
