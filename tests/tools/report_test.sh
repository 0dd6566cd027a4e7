#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What `equant report` makes of traces, good and bad.  The traces are those of
# tests/trace/write_worker.c.

. "$(dirname "$0")/lib.sh"

plan 41

zero=$scratch/rows.0.trace one=$scratch/rows.1.trace
"$TEST_BUILD/tests/trace/write_worker" "$scratch" || exit 1
export LC_ALL=C

# report_is WIDTH SENTENCE FILE...: the text is the one on standard input
report_is()
{
	local width=$1 sentence=$2

	shift 2
	cat > "$scratch/expected"
	"$equant" report --width "$width" "$@" > "$scratch/actual" 2>&1
	silent "$sentence" diff "$scratch/expected" "$scratch/actual"
}

# json NAME: the values of that name, in order
json()
{
	"$equant" report --json "$zero" "$one" | sed -n "s/^ *\"$1\": \(.*[^,]\),*$/\1/p" | xargs
}

# json_is NAME VALUES SENTENCE
json_is()
{
	local values

	values=$(json "$1")
	[ "$values" = "$2" ] || echo "# $1: $values, expected $2"
	[ "$values" = "$2" ]
	report $? "$3"
}

report_is 66 "the table adds up what each rank did, and bars show when" "$one" "$zero" << 'END'
Loop "a<b & "c"": 90 units on 2 ranks, probe schedstat, 4.000 s, efficiency 1.000

rank  units  run s wait s share   speed  q ms   eff phases moved  bal% mov% drop
   0     30   2.00   2.00 0.500      90  4.00 1.000      4    15  0.10  0.0    0
   1     60   4.00   0.00 1.000      45  4.00 1.000      4    15  0.10  0.0    7

                 0 s                                  4 s
rank 0    units  **********==============================       30
          share  ========================================     0.50
rank 1    units  **********##############################       60
          share  ########################################     1.00
END

report_is 66 "a rank that is missing is counted" "$one" << 'END'
Loop "a<b & "c"": 90 units on 2 ranks, probe schedstat, 4.000 s, efficiency 1.000

rank  units  run s wait s share   speed  q ms   eff phases moved  bal% mov% drop
   1     60   4.00   0.00 1.000      45  4.00 1.000      4    15  0.10  0.0    7

1 of 2 ranks have no trace here.
                 0 s                                  4 s
rank 1    units  **********##############################       60
          share  ########################################     1.00
END

report_is 66 "an asynchronous loop's transfers are counted, from where a plan began" \
	"$scratch"/passes.?.trace << 'END'
Loop "passes": 90 units on 2 ranks, probe schedstat, 4.000 s, efficiency 1.000

rank  units  run s wait s share   speed  q ms   eff phases moved  bal% mov% drop
   0     30   2.00   2.00 0.500      90  4.00 1.000      1    15  0.10  0.0    0
   1     60   4.00   0.00 1.000      45  4.00 1.000      1    15  0.10  0.0    7

                 0 s                                  4 s
rank 0    units  ..............................----------       30
          share  ========================================     0.50
rank 1    units  ##############################**********       60
          share  ########################################     1.00
END

exits 0 '^ *0 .* 0\.500 *66727 *4\.00 ' "a high speed stands apart from the share before it" \
	"$equant" report "$scratch"/moves.?.trace

# A million units of the loop, and of the rank after the last decision, which is event 11.
cp "$zero" "$scratch/many"
for byte in 24 $((128 + 11 * 128 + 24)); do
	printf '\100\102\017' | dd of="$scratch/many" bs=1 seek="$byte" conv=notrunc 2> /dev/null
done
exits 0 '^   0 1000000 *2\.00 ' "... and a large number of units from the rank" \
	"$equant" report "$scratch/many"

json_is computed "180 180" "JSON has the units that each rank computed"
json_is share "0.5 1" "JSON has each rank's share"
json_is competed "2 0" "JSON has the time that went to others"
json_is dropped "0 7" "JSON has the dropped events"
json_is units "90 30 60" "JSON has the units of the loop and of each rank"

# A rank that was killed leaves no END event: 12 events of 128 bytes behind the header.
head -c $((128 + 12 * 128)) "$zero" > "$scratch/killed"
exits 0 'killed: has no end' "a trace without its end is shown, and said to be" \
	"$equant" report "$scratch/killed" "$one"
head -c $((128 + 3 * 128 + 5)) "$zero" > "$scratch/cut"
exits 1 'cut: byte 512: the file ends within this event' \
	"a truncated trace is refused with its place" "$equant" report "$scratch/cut" "$one"

# A name may be anything.  The loop's is at byte 40 of the header.
mkdir "$scratch/odd"
cp "$zero" "$scratch/odd/odd.trace"
printf 'a\033[31m\302\233\377b\0' |
	dd of="$scratch/odd/odd.trace" bs=1 seek=40 conv=notrunc 2> /dev/null
exits 0 '^Loop "a\\x1b\[31m\\xc2\\x9b\\xffb": ' \
	"a name that a terminal would obey is written out" "$equant" report "$scratch/odd/odd.trace"
exits 0 '"loop": "a\\u001b\[31m\\u009b\\ufffdb",' "... and is text in JSON" \
	"$equant" report --json "$scratch/odd/odd.trace"
"$equant" report --svg "$scratch/odd/odd.svg" "$scratch/odd/odd.trace" > /dev/null 2>&1
exits 0 '>a?\[31m??b<' "... and in a picture" cat "$scratch/odd/odd.svg"

# A directory of traces, of one loop and of several; and one without any.
mkdir "$scratch/one" "$scratch/none"
cp "$zero" "$one" "$scratch/one"
exits 0 '^   1 ' "a directory stands for the traces in it" "$equant" report "$scratch/one"
exits 0 '"file": ".*/one/rows.1.trace"' "... as JSON, too" \
	"$equant" report --json "$scratch/one"
head -c $((128 + 12 * 128)) "$zero" > "$scratch/one/rows.0.trace"
exits 0 'one/rows.0.trace: has no end' "... and one without its end is named" \
	"$equant" report "$scratch/one"
exits 1 'none: no trace in this directory' "... and there has to be one" \
	"$equant" report "$scratch/none"
cp "$scratch/passes.0.trace" "$scratch/one"
exits 1 "traces of several loops, .* such as $scratch/one/passes.\*.trace" \
	"... and all are of one loop" "$equant" report "$scratch/one"

: > "$scratch/empty"
exits 1 'empty: byte 0: the file ends within the header' "an empty trace is refused" \
	"$equant" report "$scratch/empty"
echo text > "$scratch/text"
exits 1 'text: byte 0: not an equant trace' "... and a short file of something else" \
	"$equant" report "$scratch/text"

exits 1 'the same rank' "a rank given twice is refused" "$equant" report "$zero" "$zero"
exits 1 '/nonexistent: No such file' "a missing file is named" \
	"$equant" report "$zero" /nonexistent
exits 1 'not an equant trace' "another file is refused" "$equant" report "$0"
exits 2 'no trace named' "no trace is an error" "$equant" report
exits 2 "'ten': expected a number" "a bad width is refused" "$equant" report --width ten "$zero"
exits 2 'unrecognized option' "an unknown option is refused" "$equant" report --colour "$zero"
exits 2 'see .equant help report' "... and told where options are" "$equant" report --colour "$zero"

exits 0 '' "the picture is written" "$equant" report --svg "$scratch/x.svg" "$zero" "$one"
succeeds "the picture holds two bands and no raw special characters" sh -c "
	[ \$(grep -c 'class=\"units\" d=' '$scratch/x.svg') -eq 2 ] &&
	[ \$(grep -c 'class=\"rate\" d=.*H' '$scratch/x.svg') -eq 2 ] &&
	grep -q 'a&lt;b &amp; ' '$scratch/x.svg' && tail -n 1 '$scratch/x.svg' | grep -qx '</svg>'"
"$equant" report --svg "$scratch/passes.svg" "$scratch"/passes.?.trace > /dev/null 2>&1
succeeds "the picture of an asynchronous loop has its units change as well" sh -c "
	[ \$(grep -c 'class=\"units\" d=.*H.*H' '$scratch/passes.svg') -eq 2 ]"
# viewer LOOP: its traces for a viewer, and the table
viewer()
{
	"$equant" report --width 66 --perfetto "$scratch/$1.json" "$scratch/$1".?.trace \
		> "$scratch/$1.txt"
}

moved()
{
	viewer moves && perl tests/tools/perfetto.pl moves "$scratch/moves.json" \
		> "$scratch/actual" && diff - "$scratch/actual" << 'EOF2'
0 1750000 250000 0>1:10:1000 0>1:5:500
1 1750000 250000 0>1:10:1000 0>1:5:500
EOF2
}

passed()
{
	viewer passes && perl tests/tools/perfetto.pl form "$scratch/passes.json" &&
		[ "$(grep -c '"name": "given".*"units": 15' "$scratch/passes.json")" -eq 1 ] &&
		[ "$(grep -c '"name": "taken".*"units": 15' "$scratch/passes.json")" -eq 1 ]
}

if perl -MJSON::PP -e 1 2> /dev/null; then
	succeeds "traces are written for a viewer" viewer rows
	succeeds "... in order, slices of a track behind each other" \
		perl tests/tools/perfetto.pl form "$scratch/rows.json"
	succeeds "... with the durations and numbers of the table" \
		perl tests/tools/perfetto.pl agrees "$scratch/rows.json" "$scratch/rows.txt"
	succeeds "moves have a length, which those of a phase share" moved
	succeeds "... and what does not fit into a period ends with it" \
		perl tests/tools/perfetto.pl form "$scratch/moves.json"
	succeeds "transfers of an asynchronous loop are there" passed
else
	for sentence in "traces are written for a viewer" \
		"... in order, slices of a track behind each other" \
		"... with the durations and numbers of the table" \
		"moves have a length, which those of a phase share" \
		"... and what does not fit into a period ends with it" \
		"transfers of an asynchronous loop are there"; do
		skip "$sentence" "JSON::PP is missing"
	done
fi

exits 1 '/nonexistent/x.svg: No such file' "a picture that cannot be written is an error" \
	"$equant" report --svg /nonexistent/x.svg "$zero"
exits 1 '/nonexistent/x.json: No such file' "and so are traces for a viewer" \
	"$equant" report --perfetto /nonexistent/x.json "$zero"
exits 1 '/dev/full: No space' "a full disk is an error" "$equant" report --perfetto /dev/full "$zero"

finish
