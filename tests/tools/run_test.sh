#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# equant run: its options, what it passes on, what it leaves behind.

. "$(dirname "$0")/lib.sh"

plan 102

# Reports go through a directory of our own, to see that nothing stays there.
mkdir "$scratch/tmp" && export TMPDIR=$scratch/tmp

run()
{
	"$equant" run "$@"
}

exits 2 'no command given' "a missing command is an error" run
exits 2 'no command given' "a missing command after -- is an error" run --
exits 2 'unknown option --fast' "an unknown option is named" run --fast -- true
exits 2 'unknown option -np;' "... as it was written" run --quiet -np 2 true
exits 2 'value missing before --;' "an option without its value takes nothing else for one" run --trace -- true
exits 2 'value missing after --probe' "a missing value is named" run --probe
exits 2 "unknown probe 'sonar'" "an unknown probe is named" run --probe sonar -- true
exits 2 "unknown probe 'sonar'" "... also as a setting" \
	run --probe clock --set EQUANT_PROBE=clock --set EQUANT_PROBE=sonar -- true
exits 0 'no loop reported' "the last setting of the probe is the one that counts" \
	run --probe sonar --set EQUANT_PROBE=sonar --set EQUANT_PROBE=clock -- true
exits 2 'must be on or off, not maybe' "balance is on or off" run --balance maybe -- true
exits 2 'must be new, not old' "a session is new" run --session old -- true
exits 2 "unknown word 'often'" "a bad load is named" run --load cpu=0,often -- true
exits 2 "unknown word 'check'" "what only asks a load is no load" run --load constant,check -- true
exits 2 'no words' "a load has words" run --load '' -- true
exits 2 'must not be empty: --replay' "decisions are repeated from somewhere" run --replay '' -- true
exits 2 'cpu=1023: no such CPU' "a load on no CPU is refused before the job starts" \
	run --load constant --load cpu=1023,constant -- touch "$scratch/started"
exits 2 'EQUANT_SPEED=1: no such option' "an unknown setting is named" \
	run --set EQUANT_SPEED=1 -- true
exits 2 '^equant: EQUANT_PERIOD=soon: not one of 0\.\.1e+06$' "a value that an option cannot have is named" \
	run --set EQUANT_PERIOD=soon -- touch "$scratch/started"
exits 2 'EQUANT_PERIOD=soon: not one of' "... also where it is inherited" \
	env EQUANT_PERIOD=soon "$equant" run -- touch "$scratch/started"
exits 0 'no loop reported' "... unless a setting takes its place" \
	env EQUANT_PERIOD=soon "$equant" run --set EQUANT_PERIOD=1 -- true
exits 0 'no loop reported' "... or a word of the command" \
	env EQUANT_PERIOD=soon "$equant" run -- env EQUANT_PERIOD=1 true
exits 0 'no loop reported' "of several settings of an option the last one counts" \
	run --set EQUANT_PERIOD=soon --set EQUANT_PERIOD=1 -- true
exits 2 'NAME=VALUE expected' "a setting has a value" run --set EQUANT_PERIOD -- true
exits 2 'use --keep' "the report's directory cannot be set" run --set EQUANT_REPORT=/ -- true
exits 127 'nosuchcommand: command not found' "a command that does not exist is 127" \
	run -- nosuchcommand
exits 127 '/nosuchcommand: command not found' "... also with a path" run -- "$scratch/nosuchcommand"
echo true > "$scratch/script"
cp "$scratch/script" "$scratch/unlikely-name"
exits 126 '/script: Permission denied' "a file that must not be run is 126" run -- "$scratch/script"
exits 126 ': Permission denied' "... also where it is found in the PATH" \
	env PATH="$scratch:$PATH" "$equant" run -- unlikely-name
exits 125 '/nowhere/x' "a trace directory that cannot be made is named" \
	run --trace /nowhere/x -- true
exits 125 '/script: Not a directory' "... and so is one that is a file" \
	run --trace "$scratch/script" -- touch "$scratch/started"
exits 125 '/nowhere/x' "an output that cannot be written is named, before the job starts" \
	run --output /nowhere/x -- touch "$scratch/started"
exits 125 'EQUANT_REPORT: /nowhere/x: No such file' "... and so is a directory for reports that is not there" \
	env EQUANT_REPORT=/nowhere/x "$equant" run -- touch "$scratch/started"
exits 3 "exit status 3; machine: .*, - others$" "the job's exit status is passed on, and what others took is not known" \
	run -- sh -c 'sleep 0.3; exit 3'
exits 143 'exit status 143' "a signal that ends the job is 128 more" run -- sh -c 'kill $$'
exits 0 'no loop reported' "a program without equant is said to be one" run -- true
exits 1 'no loop reported: the job failed' "one that failed is not" run -- false
exits 0 'no loop reported' "a command is looked for where the system has them if there is no PATH" \
	env -u PATH "$equant" run -- true
cp /bin/true "$scratch/here"
exits 0 'no loop reported' "an empty end of PATH is the current folder" \
	sh -c 'cd "$1" && PATH=/nonexistent: exec "$2" run -- here' sh "$scratch" "$equant"
exits 2 'no blanks' "words of a load with blanks between them are refused" run --load 'cpu=0 constant' -- true
exits 125 '^equant: [^:]*/bad.0.equant: shorter than its header$' "a bad report is named, once" \
	run -- sh -c 'echo bad > "$EQUANT_REPORT/bad.0.equant"'
exits 3 'exit status 3' "... and costs neither the account nor the job's exit status" \
	run -- sh -c 'echo bad > "$EQUANT_REPORT/bad.0.equant"; exit 3'
echo kept > "$scratch/output_file"
exits 127 'nowhere' "a command that is not there is named" run --output "$scratch/output_file" -- /nowhere/x
silent "... and what is in the output's file stays" sh -c '[ "$(cat "$1")" = kept ]' sh "$scratch/output_file"
exits 0 '' "a shorter report takes the place of all that is in the file" \
	run --output "$scratch/output_file" -- sh -c 'seq 10000 > "$1"' sh "$scratch/output_file"
silent "... from its beginning to its end" sh -c '! grep -qx "kept\|10000" "$1"' sh "$scratch/output_file"
exits 0 'no trace of this job, so no time line' "a time line of a job without traces is said to be none" \
	run --timeline -- true

# Another job writes into the same directory meanwhile, and ends before.
mkdir "$scratch/shared"
exits 0 'no loop reported' "a job that shares the directory of reports has none of another's" \
	env EQUANT_REPORT="$scratch/shared" "$equant" run --quiet -- sh -c \
	'EQUANT_REPORT=$1 "$0" run -- sh -c "echo 1 > \$EQUANT_REPORT/a.b.0.equant" > "$2" 2>&1; [ $? -eq 125 ]' \
	"$equant" "$scratch/shared" "$scratch/said"
numbered()
{
	EQUANT_REPORT=$scratch/shared "$equant" run -- sh -c \
		'cd "$EQUANT_REPORT" && echo 2 > a.b.0.equant && echo 3 > a.b.1.equant && echo 4 > log' > "$scratch/said" 2>&1
	[ "$(cd "$scratch/shared" && grep . -- *.equant | xargs)" = \
		"a.b.0.equant:1 a.b.1.equant:2 a.b.2.equant:3" ] &&
		grep -qx "equant: reports are in $scratch/shared" "$scratch/said" &&
		[ "$(cat "$(sed -n 's/^equant: what else the job has left is in //p' "$scratch/said")/log")" = 4 ]
}
succeeds "... and all are there in the end, by the numbers that were free" numbered

exits 0 '^load constant: [0-9.]* s of CPU' "a load gives its account" \
	run --load constant -- sleep 0.3
exits 0 'ended before the job' "a load that ends early is told" \
	run --load constant,seconds=0.1 -- sleep 0.4
exits 0 '^[^:]*$' "quiet says nothing of the environment" \
	sh -c '"$1" run --quiet -- true 2>&1 > /dev/null | wc -l | grep -x 0' - "$equant"

# The report would be the first file to be opened, and get what is said of the environment.
apart()
{
	"$equant" run --output "$scratch/report" -- true 2>&-
	grep -q 'exit status 0' "$scratch/report" && ! grep 'measuring with' "$scratch/report"
}
succeeds "a standard stream that was closed is no file that is written" apart

# told NAME VERSION: the words that an mpirun of that version is started with
told()
{
	mkdir -p "$scratch/$1"
	printf '#!/bin/sh\n[ "$1" = --version ] && echo "%s" && exit\necho "words: $*"\n' "$2" > "$scratch/$1/mpirun"
	chmod +x "$scratch/$1/mpirun"
	EQUANT_CHECK=on run --set EQUANT_PERIOD=0.1 --timeline -- "$scratch/$1/mpirun" -np 1 true
}
exits 0 '^words: -x EQUANT_PERIOD -x EQUANT_CHECK -np 1 true$' \
	"Open MPI is told to hand options on to other hosts" told open "mpirun (Open MPI) 4.1.4"
exits 0 '^words: -np 1 true$' "another MPI hands on everything by itself" told other "HYDRA build details"
exits 0 '^words: -x EQUANT_CHECK -x EQUANT_PERIOD=2 -np 1 true$' "... but for what the command hands on itself" \
	env EQUANT_CHECK=on "$equant" run --set EQUANT_PERIOD=0.1 -- \
	"$scratch/open/mpirun" -x EQUANT_PERIOD=2 -np 1 true
exits 0 '^words: -x EQUANT_PERIOD -np 1 true : -x EQUANT_PERIOD -np 1 false$' "... for the programs behind each colon, too" \
	"$equant" run --set EQUANT_PERIOD=0.1 -- "$scratch/open/mpirun" -np 1 true : -np 1 false
exits 0 '^words: --mca mca_base_env_list A true$' "... and nothing beside a list of the command" \
	"$equant" run --set EQUANT_PERIOD=0.1 -- "$scratch/open/mpirun" --mca mca_base_env_list A true
exits 0 '^words: -np 1 true$' "... or of the environment" \
	env OMPI_MCA_mca_base_env_list=A "$equant" run --set EQUANT_PERIOD=0.1 -- "$scratch/open/mpirun" -np 1 true

# crowds SENTENCE WARNING WORD...: what this mpirun's words ask for, where there is one CPU
crowds()
{
	local sentence=$1 warning=$2

	shift 2
	taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//')" "$equant" run -- "$scratch/open/mpirun" "$@" \
		> "$scratch/output" 2>&1
	warning_is "$warning"
	report $? "$sentence"
}
warning_is()
{
	[ "$(sed -n 's/^equant: \([0-9]* ranks on 1 CPUs\):.*/\1/p' "$scratch/output")" = "$1" ] &&
		grep -q '^words: ' "$scratch/output" && return
	sed 's/^/# /' "$scratch/output"
	return 1
}
crowds "more ranks than CPUs are told of" '3 ranks on 1 CPUs' --mca a b -x A --oversubscribe -np 3 true
crowds "... those of all programs" '5 ranks on 1 CPUs' -np 2 true -n 7 : -n 3 true
crowds "... but for one of which nothing is said" '' -np 2 true : true
crowds "as many as there are CPUs are not" '' -np 1 true
crowds "... whatever the program's own options are" '' -np 1 true -n 500
crowds "... nor are they where no option is mpirun's" '' true -n 500
crowds "... or one is not known, as ranks may be on other hosts" '' --host a:2,b:2 -np 4 true

signal_is_passed_on()
{
	"$equant" run -- sh -c 'trap "exit 9" TERM; while :; do sleep 0.05; done' &
	sleep 0.5
	kill $!
	wait $!
	[ $? -eq 9 ]
}
succeeds "a signal reaches the job" signal_is_passed_on

# signalled TO: how often does the job get what timeout(1) sends to a process group, or kill(1) to one process?
signalled()
{
	local job

	rm -f "$scratch/ready"
	# shellcheck disable=SC2016
	setsid "$equant" run -- perl -e '
		$SIG{TERM} = sub { $times++ };
		open(my $ready, ">", $ARGV[0]);
		print $ready "yes";
		close($ready);
		select(undef, undef, undef, 0.05) until $times;
		select(undef, undef, undef, 0.3) for 1 .. 3;
		exit(10 + $times);' "$scratch/ready" &
	job=$!
	until [ -s "$scratch/ready" ]; do sleep 0.05; done
	kill -TERM -- "$1$job"
	wait $job
	[ $? -eq 11 ]
}
succeeds "... once, if it was sent to the whole process group" signalled -
succeeds "... and if it was not" signalled ''

# What asks for the version of this mpirun is told to end, before there is a job.
mkdir "$scratch/ending"
printf '#!/bin/sh\n[ "$1" = --version ] && kill $PPID && exit\ntouch "%s"\n' "$scratch/started" > "$scratch/ending/mpirun"
chmod +x "$scratch/ending/mpirun"
exits 143 '^143$' "a signal that comes before the job ends the run without it" \
	sh -c '"$1" run --quiet --timeline -- "$2"; s=$?; echo $s; exit $s' - "$equant" "$scratch/ending/mpirun"

# The job leaves no room in the pipe, so that the report waits for who reads it.
signal_before_report()
{
	"$equant" run --quiet --timeline -- \
		sh -c 'head -c 65536 /dev/zero; echo $$ $PPID > "$0"' "$scratch/pids" | {
		until [ -s "$scratch/pids" ]; do sleep 0.05; done
		read -r job run < "$scratch/pids"
		while [ -e "/proc/$job" ]; do sleep 0.05; done
		sleep 0.1
		kill "$run"
		tr -d '\0' > "$scratch/output"
	}
	grep -q 'exit status 0' "$scratch/output" && [ -z "$(ls "$TMPDIR")" ]
}
succeeds "a signal after the job's end neither costs the report nor leaves anything" \
	signal_before_report

interrupted_report()
{
	env --default-signal=INT "$equant" run --quiet --timeline -- \
		sh -c 'dd bs=4096 if=/dev/zero of=/proc/self/fd/1 oflag=nonblock conv=notrunc
			echo $$ $PPID > "$0"' "$scratch/pids.interrupted" 2> /dev/null | {
		until [ -s "$scratch/pids.interrupted" ]; do sleep 0.05; done
		read -r job run < "$scratch/pids.interrupted"
		while [ -e "/proc/$job" ]; do sleep 0.05; done
		for _ in $(seq 400); do
			kill -INT "$run" 2> /dev/null || break
			sleep 0.05
		done
		! kill -KILL "$run" 2> /dev/null
	} && [ -z "$(ls "$TMPDIR")" ]
}
succeeds "... but Ctrl-C ends a report that nobody reads" interrupted_report

nobody_reads()
{
	{
		"$equant" run --quiet --timeline -- \
			sh -c 'until [ -e "$0" ]; do sleep 0.05; done' "$scratch/closed" \
			2> "$scratch/output"
		echo $? > "$scratch/status"
	} | {
		exec < /dev/null
		touch "$scratch/closed"
	}
	[ "$(cat "$scratch/status")" -eq 125 ] && grep -q 'Broken pipe' "$scratch/output" &&
		[ -z "$(ls "$TMPDIR")" ]
}
succeeds "a report that nobody reads is an error, and nothing is left" nobody_reads

exits 3 'exit status 3' "an exit status is known though whoever started equant ignored its children" \
	env --ignore-signal=CHLD "$equant" run -- sh -c 'exit 3'
exits 0 '^load constant: ' "... and so is a load's" \
	env --ignore-signal=CHLD "$equant" run --load constant -- sleep 0.2

# What the job says of Ctrl-C, wherever it is; a terminal is no faster than it.
for session in '' '--session new'; do
	# shellcheck disable=SC2086
	exits 9 'interrupted' "Ctrl-C reaches the job, ${session:-in the same session}" \
		timeout 60 "$TEST_BUILD/tests/tools/terminal_worker" "$equant" run $session -- \
		sh -c 'trap "echo interrupted; exit 9" INT; echo press; while :; do sleep 0.05; done'
done

# The kernel tells the session's leader only, which is the run here, for what it runs itself.
told_of_hangup()
{
	rm -f "$scratch/told"
	timeout 60 "$TEST_BUILD/tests/tools/terminal_worker" "$equant" run "$@" -- sh -c '
		trap "touch \"$0\"; exit 9" HUP
		echo hang up
		for _ in $(seq 400); do sleep 0.05; done' "$scratch/told"
	[ -e "$scratch/told" ]
}
succeeds "that the terminal hung up reaches the job" told_of_hangup
succeeds "... in a session of its own, too" told_of_hangup --session new

session_of_job()
{
	"$equant" run --quiet "$@" --output /dev/null -- \
		sh -c 'set -- $(cat /proc/self/stat); echo "$6"'
}
set -- $(cat /proc/self/stat)
[ "$(session_of_job)" = "$6" ]
report $? "the job stays in the session"
[ "$(session_of_job --session new)" != "$6" ]
report $? "the job gets a session of its own when asked for"

# is_json FILE: by a parser that is no part of equant
if perl -MJSON::PP -e 1 2> /dev/null; then
	is_json()
	{
		perl -MJSON::PP -e 'undef $/; decode_json(<>)' "$@"
	}
elif command -v jq > /dev/null; then
	is_json()
	{
		jq -e . "$@" > /dev/null
	}
fi

json()
{
	"$equant" run --quiet --json "$@" > "$scratch/json" && is_json "$scratch/json"
}

if declare -F is_json > /dev/null; then
	succeeds "json is JSON without a loop" json --load constant -- \
		sh -c 'echo noise "\"\\"'
else
	skip "json is JSON without a loop" "neither JSON::PP nor jq"
fi

missing=$(missing_for_jobs)
job() # JOB OPTION...: mm on two ranks
{
	"$equant" run "$@" -- mpirun --oversubscribe -np 2 "$mm" -n 96 -p 40
}

bad_setting()
{
	local status

	run --quiet -- mpirun --oversubscribe -x EQUANT_PERIOD=soon -np 2 "$mm" -n 96 -p 40 > "$scratch/output" 2>&1
	status=$?
	[ $status -ne 0 ] && [ $status -lt 125 ] && grep -q 'EQUANT_PERIOD=soon' "$scratch/output"
}

wide()
{
	job --quiet --load constant | sed -n '/^equant:/,$p' | awk 'length > 80 { print; bad = 1 } END { exit bad }'
}

kept()
{
	local directory

	directory=$(job --keep 2>&1 | sed -n 's/^equant: reports are in //p')
	[ -s "$directory/rows.0.equant" ] && rm -r "$directory"
}

# The ranks' working directory is another one.
reported()
{
	mkdir "$scratch/reports" && cd "$scratch" &&
		EQUANT_REPORT=reports "$equant" run --quiet -- sh -c \
			'cd / && exec mpirun --oversubscribe -np 2 "$1" -n 96 -p 4' sh "$mm" &&
		[ -s reports/rows.0.equant ]
}

other_name()
{
	ln -s "$(command -v mpirun)" "$scratch/mpirun.other"
	env -u OMPI_ALLOW_RUN_AS_ROOT -u OMPI_ALLOW_RUN_AS_ROOT_CONFIRM PATH="$scratch:$PATH" \
		"$equant" run --quiet -- mpirun.other --oversubscribe -np 1 true
}

traced()
{
	job --trace "$scratch/traces" && [ -s "$scratch/traces/rows.1.trace" ]
}

replayed()
{
	job --replay "$scratch/traces" &&
		! job --quiet --replay "$scratch/nowhere" > "$scratch/output" 2>&1 &&
		grep -q 'nowhere/rows.0.trace: No such file' "$scratch/output"
}

total()
{
	json -- mpirun --oversubscribe -np 2 "$mm" -n 96 -p 40 || return 1
	perl -MJSON::PP -e 'undef $/; my $l = decode_json(<>)->{loops}[0];
		my $units = 0; my $computed = 0;
		for (@{$l->{ranks}}) { $units += $_->{units}; $computed += $_->{computed} }
		exit !($units == 96 && $computed == 96 * 40 && $l->{computed} == $computed)' \
		"$scratch/json"
}

# Traces of an earlier job are none of this one's.
mkdir "$scratch/earlier"
"$TEST_BUILD/tests/trace/write_worker" "$scratch/earlier" || exit 1
touch -d '1 hour ago' "$scratch"/earlier/*.trace
no_bars()
{
	"$equant" run --trace "$scratch/earlier" --timeline -- true > "$scratch/output" 2>&1 &&
		! grep -q 'rank 0' "$scratch/output" && [ -s "$scratch/earlier/rows.0.trace" ]
}
succeeds "the time line of a job without traces does not show an earlier one's" no_bars

exits 125 '/job.0.trace: byte 0: not an equant trace' "a time line that cannot be drawn is an error" \
	run --quiet --timeline -- sh -c 'echo bad > "$EQUANT_TRACE/job.0.trace"'

# The loop "rows", and one whose name is that of a rank of it.
named()
{
	"$equant" run --quiet --timeline -- sh -c '
		"$0" "$EQUANT_TRACE" && cd "$EQUANT_TRACE" && rm moves.* &&
		mv passes.0.trace rows.1.0.trace && mv passes.1.trace rows.1.1.trace' \
		"$TEST_BUILD/tests/trace/write_worker" > "$scratch/output" 2>&1
	[ $? -eq 0 ] && [ "$(grep -o '^loop [^:]*:$\|^rank [0-9]*' "$scratch/output" | xargs)" = \
		"loop rows: rank 0 rank 1 loop rows.1: rank 0 rank 1" ]
}
succeeds "the time line of each loop has its name, and all its ranks" named

# drawn DIRECTORY OPTION...: a job that leaves traces where its environment says
drawn()
{
	local directory=$1

	shift
	"$equant" run --quiet --timeline "$@" -- sh -c '"$0" "$EQUANT_TRACE"' \
		"$TEST_BUILD/tests/trace/write_worker" > "$scratch/output" 2>&1 &&
		grep -q 'rank 0' "$scratch/output" && [ -s "$directory/rows.0.trace" ]
}
EQUANT_TRACE=$scratch/mine succeeds "the time line leaves traces where the environment wants them" \
	drawn "$scratch/mine"
EQUANT_TRACE=$scratch/none succeeds "... or where the last setting does" \
	drawn "$scratch/last" --set EQUANT_TRACE="$scratch/none" --set EQUANT_TRACE="$scratch/last"

# A loop may be named so that its files are hidden ones.
hidden()
{
	"$equant" run --quiet --timeline -- sh -c '
		"$0" "$EQUANT_TRACE" && mv "$EQUANT_TRACE/rows.0.trace" "$EQUANT_TRACE/.rows.0.trace"' \
		"$TEST_BUILD/tests/trace/write_worker" > "$scratch/output" 2>&1 &&
		[ -z "$(ls "$TMPDIR")" ]
}
succeeds "traces of a loop whose name begins with a dot are removed" hidden

if [ -z "$missing" ]; then
	exits 0 'efficiency [0-9.]* by eq. 1.4' "a loop's efficiency is reported" job
	exits 0 'efficiency - by eq. 1.4' "without CPU times the efficiency is unknown" \
		job --probe clock
	exits 0 'balanced by measured rates' "... and nothing is predicted" job --probe clock
	exits 0 'not balanced' "balancing can be switched off" job --balance off
	exits 0 'balanced by measured rates' "settings reach the ranks" job --set EQUANT_RATE=measured
	succeeds "a bad setting ends the job with its name" bad_setting
	succeeds "the report fits 80 columns" wide
	succeeds "reports are kept when asked for" kept
	succeeds "... and go where the user is, wherever ranks are" eval '(reported)'
	succeeds "mpirun may have another ending to its name" other_name
	succeeds "traces go where they should" traced
	succeeds "decisions are repeated from traces, if there are any" replayed
	exits 0 '^ *0 ' "the time line has a bar per rank" job --timeline
	if perl -MJSON::PP -e 1 2> /dev/null; then
		succeeds "json has the right totals" total
	else
		skip "json has the right totals" "JSON::PP is missing"
	fi
else
	for sentence in "a loop's efficiency is reported" \
		"without CPU times the efficiency is unknown" "... and nothing is predicted" \
		"balancing can be switched off" \
		"settings reach the ranks" "a bad setting ends the job with its name" \
		"the report fits 80 columns" "reports are kept when asked for" \
		"... and go where the user is, wherever ranks are" \
		"mpirun may have another ending to its name" \
		"traces go where they should" "the time line has a bar per rank" \
		"decisions are repeated from traces, if there are any" \
		"json has the right totals"; do
		skip "$sentence" "$missing"
	done
fi

[ ! -e "$scratch/started" ] && [ -z "$(ls "$TMPDIR")" ]
report $? "nothing is left behind"

finish
