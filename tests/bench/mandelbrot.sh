#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Mandelbrot 1000 x 1000, 1000 steps at most, by every scheme: on two dedicated CPUs, with
# two ranks for each CPU, and beside one busy process on either CPU.  Ideal is the sequential time of
# the same job over (2 - competitor's CPU time / elapsed).  Beside the busy process nobody
# names any power: dtss has it from the probe.

. "$(dirname "$0")/lib.sh"

program=$TEST_BUILD/tests/bench/mandelbrot
schemes="ss gss fss tss dtss wf awf-c af trees"
# Rectangles instead of columns; several columns at least, which are more to wait for at the end.
schemes="$schemes fss-2d tss-2d dtss-2d fss/4 dtss/4"
: > "$out/$item.figures"

# figure SCHEME: as a part of a variant's name
figure()
{
	tr /- __ <<< "$1"
}

# job ROUND PLACE RANKS KIND_A KIND_B: RANKS on each CPU
job()
{
	local file=$out/$item/$1-$2.txt

	# shellcheck disable=SC2086
	if ! mpirun --bind-to none --oversubscribe \
		-np "$3" taskset -c "$cpu_a" "$program" "$4" $schemes : \
		-np "$3" taskset -c "$cpu_b" "$program" "$5" $schemes > "$file" 2> "$out/$item/log"
	then
		echo "$item: $2 failed:" >&2
		cat "$out/$item/log" >&2
		exit 1
	fi
	while read -r scheme elapsed competitor alone over; do
		printf '%s\t%s_%s\telapsed=%s\tcompetitor=%s\tsequential=%s\tover=%s\n' "$1" "$2" \
			"$(figure "$scheme")" "$elapsed" "$competitor" "$alone" "$over" >> "$raw"
	done < "$file"
}

for round in $(seq "$rounds"); do
	job "$round" two 1 free free
	job "$round" four 2 free free
	job "$round" first 1 busy free
	job "$round" second 1 free busy
done

# best PLACE: the scheme whose median is least
best()
{
	local scheme

	for scheme in $schemes; do
		echo "$(median "$1_$(figure "$scheme").over") $scheme"
	done | sort -g | sed -n '1s/.* //p'
}

# place PLACE TEXT GOAL
place()
{
	local scheme

	scheme=$(best "$1")
	judge "$2: best, $scheme, over ideal" "$1_$(figure "$scheme").over" '<=' "$3"
	for scheme in $schemes; do
		judge "  $scheme" "$1_$(figure "$scheme").over"
	done
}

place two "2 ranks" 1.03
place four "4 ranks on 2 CPUs" 1.05
place first "busy first CPU" 1.05
place second "busy second CPU" 1.05
for cpu in first second; do
	judge "dtss times as fast as tss, busy $cpu CPU" "${cpu}_tss.elapsed/${cpu}_dtss.elapsed" '>=' 1.2
	judge "  as rectangles" "${cpu}_tss_2d.elapsed/${cpu}_dtss_2d.elapsed"
done
