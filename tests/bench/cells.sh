# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Measurements of many parts, which may be interrupted.
#
# A group is a program under one load; its variants, which alternate within each round, are its
# cells.  All rounds of a cell are in one file, $cells/ITEM.GROUP.VARIANT, which has that name
# once they are complete: a finished cell is not measured again, an interrupted one starts
# anew.  `make bench` begins with no cells, `make bench-full` goes on where it was left.
#
# With BENCH_LEFT=1 nothing is measured: "CELLS SECONDS" is printed, what is left.

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ -n "${BENCH_FULL:-}" ]; then
	cells=$out/cells
else
	cells=$out/cells-short
	[ -n "${BENCH_LEFT:-}" ] || rm -f "$cells/$item".*
fi
mkdir -p "$cells" || exit 1
left=0 seconds_left=0
begun=$SECONDS
grain=0.1 meet=1

# A cell says which library and programs it is of.
build=$(cat "$TEST_BUILD"/{libequant.so,bin/equant,libexec/equant/*,tests/bench/*.o} 2> /dev/null | cksum | tr ' ' -)

finished()
{
	[ -z "${BENCH_FULL:-}" ] && [ -n "${BENCH_LEFT:-}" ] && return 1
	[ "$(sed -n '1s/.* rounds=//p' "$cells/$item.$1" 2> /dev/null || echo 0)" -ge "$rounds" ] 2> /dev/null
}

# plus A B ROUNDS: A + B * ROUNDS
plus()
{
	awk -v a="$1" -v b="$2" -v n="$3" 'BEGIN { printf "%.0f\n", a + b * n }'
}

# listed WORD LIST: an empty list has them all
listed()
{
	case " ${2:-$1} " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

# group NAME SECONDS VARIANT...: measures the cells that are missing.  SECONDS is what one run
# takes.  The measurement defines prepare NAME, which sets what the runs have in common, and
# cell ROUND NAME VARIANT, which appends a line of raw figures to $raw.
group()
{
	local name=$1 seconds=$2 variant round raw missing=()

	shift 2
	for variant; do
		finished "$name.$variant" || missing+=("$variant")
	done
	left=$((left + ${#missing[@]}))
	seconds_left=$(plus "$seconds_left" "$seconds" $((rounds * ${#missing[@]})))
	[ -z "${BENCH_LEFT:-}" ] && [ ${#missing[@]} -gt 0 ] || return 0
	echo "$item: $name: ${missing[*]}"
	prepare "$name"
	for variant in "${missing[@]}"; do
		echo "# $build $(uname -r) $(date +%F) rounds=$rounds" > "$cells/part.$variant"
	done
	for round in $(seq "$rounds"); do
		for variant in "${missing[@]}"; do
			raw=$cells/part.$variant
			cell "$round" "$name" "$variant"
		done
	done
	for variant in "${missing[@]}"; do
		mv "$cells/part.$variant" "$cells/$item.$name.$variant" || exit 1
	done
}

# work NAME SECONDS PROGRAM ARGUMENT...: sets command and repeats, the program with as much work as takes
# two dedicated ranks that long.  Among the arguments @r is how often it repeats its work, in each of
# which ranks meet $meet times, and @n a size at which a rank has $grain seconds of work between
# two meetings.  Both are found once and kept with the cells; in $meet, @n is replaced, too.
work()
{
	local file=$cells/$item.$1.work seconds=$2 n=0 words

	shift 2
	if [ ! -f "$file" ]; then
		case $* in *@n*) size "$grain" "$meet" "$@" ;; esac
		repeats_per_second "$((${meet//@n/$n}))" "${@//@n/$n}" > "$file.part" &&
			mv "$file.part" "$file" || exit 1
	fi
	read -r per_second meet words < "$file"
	repeats=$(plus 0 "$per_second" "$seconds")
	[ "$repeats" -gt 0 ] || repeats=1
	words=${words//@r/$repeats}
	# shellcheck disable=SC2086
	ranks $words
}

# compete LOAD: sets competitor: none, constant, or the period in which it works half of the time
compete()
{
	case $1 in
	none) competitor=() ;;
	constant) competitor=(--load "cpu=$cpu_a,constant") ;;
	*) competitor=(--load "cpu=$cpu_a,period=$1,duty=0.5") ;;
	esac
}

# cells_end: ends a listing; else puts all cells together for the figures
cells_end()
{
	local others

	if [ -n "${BENCH_LEFT:-}" ]; then
		echo "$left $seconds_left"
		exit 0
	fi
	cat "$cells/$item".*.* > "$raw"
	others=$(sed -n 's/^# \([^ ]*\) .*/\1/p' "$raw" | grep -cvx "$build")
	[ "$others" -eq 0 ] || echo "$item: $others of the cells were measured with another build" \
		"(rm -r $cells begins anew)"
	echo "$item: $left cells measured in $((SECONDS - begun)) s, raw figures in $cells" |
		tee "$out/$item.figures"
}

# measured CELL: was it, now or earlier?
measured()
{
	[ -f "$cells/$item.$1" ]
}
