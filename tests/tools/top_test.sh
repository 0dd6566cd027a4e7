#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# equant top: what it refuses, and whether it shows what happens on the machine.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/top_ranks.sh"

plan 33

exits 2 "unrecognized option '--fast'" "an unknown option is named" top --fast
exits 2 "unexpected argument 'now'" "an argument is none" top now
exits 2 "'--interval' requires an argument" "a missing value is named" top --interval
exits 2 "interval: 'soon' is not a number" "an interval is a number" top --interval soon
exits 2 "'0.01' is not a number from 0.05" "an interval has a least length" top --interval 0.01
exits 2 "interval: 'soon' is not a number" "a value may be in its option's word" top --interval=soon
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
	missing_for_top
	[ "$(id -u)" -eq 0 ] || echo "loading the probe needs root"
}

reason=$(why_not | paste -sd ';')
if [ -z "$reason" ] && ! "$equant" probe load > "$scratch/load" 2>&1; then
	reason="the probe cannot be loaded: $(paste -sd ' ' "$scratch/load")"
fi
if [ -n "$reason" ]; then
	while [ $number -lt 33 ]; do
		skip "with ranks" "$reason"
	done
	finish
fi

eight_ranks

small_terminal()
{
	on_terminal 8 60 "sleep 0.5; printf '\\033[B'; sleep 0.3; printf '\\033[A\\033[6~ q'; sleep 1" || return 1
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

unprinted()
{
	local option

	for option in '' --json; do
		# shellcheck disable=SC2086
		top $option --count 1 --interval 0.1 2> "$scratch/error" > /dev/full && return 1
		sed 's/^/error: /' "$scratch/error"
		grep -q 'No space left' "$scratch/error" || return 1
	done
}
succeeds "what cannot be printed is an error with a reason" unprinted

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

# Who starts a program chooses its name, and who watches may be root.
odd_name()
{
	local odd=$'top\033[7m\233\302\233' status=1 pid

	ln -s "$mm" "$scratch/$odd"
	EQUANT_BALANCE=off "$scratch/$odd" -n 128 -p 100000000 > "$scratch/odd" 2>&1 &
	pid=$!
	for _ in $(seq 200); do
		top --command "$odd" --interval 0.1 > "$scratch/table" 2>&1
		grep -q ' top\\x1b\[7m\\x9b\\xc2\\x9b$' "$scratch/table" && status=0 && break
	done
	top --command "$odd" --json --count 1 --interval 0.1 > "$scratch/lines"
	kill $pid
	wait $pid 2> /dev/null
	[ $status -eq 0 ] || cat -v "$scratch/table" "$scratch/odd"
	! LC_ALL=C grep -q '[^ -~]' "$scratch/table" "$scratch/lines" && [ $status -eq 0 ] &&
		grep -q '"command": "top\\u001b\[7m\\ufffd\\u009b"' "$scratch/lines"
}
succeeds "a name that a terminal would obey is written out" odd_name

# What it prints after the hangup shows that it goes on.
hung_up()
{
	local monitor status before lines=0

	rm -f "$scratch/lines"
	env --ignore-signal=HUP "$equant" top --json --interval 0.1 > "$scratch/lines" 2> "$scratch/error" &
	monitor=$!
	until [ -s "$scratch/lines" ] || ! [ -e /proc/$monitor ]; do sleep 0.05; done
	kill -HUP $monitor
	before=$(wc -l < "$scratch/lines")
	for _ in $(seq 600); do
		lines=$(wc -l < "$scratch/lines")
		[ "$lines" -lt $((before + 3)) ] && [ -e /proc/$monitor ] || break
		sleep 0.05
	done
	kill $monitor
	wait $monitor
	status=$?
	sed 's/^/error: /' "$scratch/error"
	[ "$lines" -ge $((before + 3)) ] && [ $status -eq 0 ]
}
succeeds "what nohup ignores does not end it" hung_up

# Nobody reads what it prints, and the pipe is full.
stuck()
{
	perl -e '
		pipe(my $read, my $write);
		fcntl($write, 1031, 4096); # F_SETPIPE_SZ
		my $pid = fork();
		if (!$pid) {
			open(STDOUT, ">&", $write);
			exec(@ARGV);
		}
		for (1 .. 3000) {
			open(my $in, "<", "/proc/$pid/syscall") or die "it has ended";
			last if readline($in) =~ /^1 0x1 /; # write(1, ...
			select(undef, undef, undef, 0.01);
		}
		kill("TERM", $pid);
		alarm(30);
		waitpid($pid, 0);
		exit($? != 0);' "$equant" top --json --interval 0.05
}
succeeds "a signal ends it where nobody reads what it prints" stuck

# Who asked for so many readings would take fewer for all.
cut_short()
{
	local monitor

	rm -f "$scratch/lines"
	"$equant" top --json --count 10000 --interval 0.1 > "$scratch/lines" &
	monitor=$!
	until [ -s "$scratch/lines" ] || ! [ -e /proc/$monitor ]; do sleep 0.05; done
	kill $monitor
	wait $monitor
	[ $? -eq 143 ]
}
succeeds "readings that were asked for and not taken are no success" cut_short

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
