# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Eight ranks, loads that come and go beside them, and what `equant top` says of that.  Where all
# takes longer, slow is how many times as long.

: "${slow:=1}"

missing_for_top()
{
	missing_for_jobs
	command -v script > /dev/null || echo "script(1) is missing"
	perl -MJSON::PP -e 1 2> /dev/null || echo "JSON::PP is missing"
}

top()
{
	"$equant" top "$@"
}

figures()
{
	perl tests/tools/top.pl "$@"
}

# seconds NUMBER: as it is here
seconds()
{
	awk -v s="$slow" -v n="$1" 'BEGIN { print s * n }'
}

pause()
{
	sleep "$(seconds "$1")"
}

cpus=$(perl -ne 'print join(" ", map { /(\d+)-(\d+)/ ? $1 .. $2 : $_ } split(/,/, $1))
	if /^Cpus_allowed_list:\s*(\S+)/' /proc/self/status)
first=${cpus%% *} last=${cpus##* }

# Four to a CPU, that always compute: nothing is balanced and nothing waits.  Their name tells
# them from ranks of other jobs.
name=top$$
begin_ranks()
{
	ln -s "$mm" "$scratch/$name"
	EQUANT_BALANCE=off mpirun --oversubscribe --bind-to none \
		-np 4 taskset -c "$first" "$scratch/$name" -n 512 -p 1000000 : \
		-np 4 taskset -c "$last" "$scratch/$name" -n 512 -p 1000000 > "$scratch/job" 2>&1 &
	job=$!
}

computing()
{
	for _ in $(seq 200); do
		top --command "$name" --json --count 1 --interval "$(seconds 0.1)" \
			> "$scratch/lines" 2>&1 && figures busy "$scratch/lines" 8 2> /dev/null && return
	done
	cat "$scratch/lines" "$scratch/job"
	return 1
}

# load_on CPU SECONDS FILE
load_on()
{
	"$load" constant cpu="$1" seconds="$(seconds "$2")" > "$scratch/$3"
}

# Readings all the time, while one load comes and goes, then another.
come_and_go()
{
	"$equant" top --command "$name" --json --interval "$(seconds 0.1)" > "$scratch/lines" &
	local monitor=$!

	pause 0.3
	load_on "$first" 2 load.first
	pause 0.2
	load_on "$last" 2 load.last
	pause 0.3
	kill $monitor
	wait $monitor
}

# In hundredths of a second, what another machine has had of all CPUs so far.
stolen()
{
	awk '$1 == "cpu" { print $9 + 0 }' /proc/stat
}

# untouched COMMAND: again where another machine has had more than a twentieth of a CPU meanwhile.  Whoever
# wanted the CPU then did not have what the scheduler gave it.
untouched()
{
	local before start

	for _ in $(seq 6); do
		before=$(stolen)
		start=$EPOCHREALTIME
		"$@" || return 1
		awk -v stolen=$(($(stolen) - before)) -v start="$start" -v end="$EPOCHREALTIME" \
			'BEGIN { exit stolen > 5 * (end - start) }' && break
	done
	return 0
}

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

	pause 0.3
	on_terminal 24 80 'pause 3.2' --count 2 --interval "$(seconds 1.2)"
	local status=$?

	wait $load_pid
	[ $status -eq 0 ] && figures screen "$scratch/terminal" 24 80
}

# seven results
eight_ranks()
{
	begin_ranks
	succeeds "all ranks of a job are seen" computing
	succeeds "readings end with status 0 when told to" untouched come_and_go
	succeeds "every reading is a line of JSON with all ranks" figures lines "$scratch/lines" 8
	succeeds "readings agree with the account of a load" \
		figures agrees "$scratch/lines" "$scratch/load.first"
	succeeds "readings agree with the account of a load that comes later, elsewhere" \
		figures agrees "$scratch/lines" "$scratch/load.last"
	succeeds "a terminal is left as it was after so many readings" untouched beside_load
	succeeds "shares on the screen are those of the load" \
		figures shares "$scratch/terminal" "$scratch/load.beside"
}
