#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The thesis' evaluation (Siegell 1995, sections 7.2 to 7.4): programs, loads, and three
# settings: no balancing, the thesis' (table 7.3: a period of 1 s, measured rates with the state
# machine's filter, 10 % threshold, pipelined), and equant's own.
#
#	BENCH_ROWS="mm lu1000"		only these programs
#	BENCH_LOADS="none constant 60"	only under these loads; a number is a period, seconds
#
# The work of a cell is fixed: it is what takes a dedicated machine the seconds below.

. "$(dirname "$0")/cells.sh"

# Name; class: "thesis" rows have at least 20 quanta of work per rank between two
# synchronisations, "fine" rows have what they have; part of `make bench`; how often the ranks
# meet each time the work is repeated; command, in which @n is a size found by lib.sh, by the
# speed of the machine, and @r how often.  mm has its hooks between rows, as the thesis' had, where
# the library has that.
inside=$("$equant" help env | sed -n 's/^EQUANT_MODE$/--hooks inside/p')
rows()
{
	cat <<- END
		mm        thesis  yes  1              mm -n @n -p @r $inside
		sor10000  thesis  no   1              sor -n 10000 -s @r --no-verify
		lu        thesis  no   (@n+63)/64     lu -n @n -b 64 -r @r --cyclic --no-verify
		sor1000   fine    no   1              sor -n 1000 -s @r --no-verify
		sor2000   fine    yes  1              sor -n 2000 -s @r --no-verify
		lu1000    fine    yes  1000           lu -n 1000 -r @r --cyclic --no-verify
	END
}

# Seconds that a cell's work takes a dedicated machine, by load.
declare -A length=([none]=2 [constant]=3 [60]=60 [20]=20 [6]=6 [2]=4 [0.5]=3)
loads=${BENCH_LOADS:-none constant 2${BENCH_FULL:+ 20 6 0.5}}
declare -A goal=([20]=0.95 [6]=0.93 [2]=0.93 [0.5]=0.90)
declare -A least=([lu]=9) # one repetition, roughly
around=1.2 # seconds that a run takes beside its work
settings="off thesis equant"

for load in $loads; do
	if [ -z "${length[$load]:-}" ]; then
		echo "evaluation: no load '$load' (known: ${!length[*]})" >&2
		exit 2
	fi
done

# wanted NAME SHORT
wanted()
{
	listed "$1" "${BENCH_ROWS:-}" || return 1
	[ -n "${BENCH_ROWS:-}" ] || [ -n "${BENCH_FULL:-}" ] || [ "$2" = yes ]
}

# prepare ROW.LOAD: sets command and competitor
prepare()
{
	local row=${1%%.*} load=${1#*.} name class short meet words

	read -r name class short meet words <<< "$(rows | grep "^$row ")"
	# shellcheck disable=SC2086
	work "$row" "${length[$load]}" $words
	export BENCH_MEETINGS=$((repeats * meet))
	compete "$load"
}

cell()
{
	local options=()

	case $3 in
	off) options=(--balance off) ;;
	thesis) options=("${thesis[@]}") ;;
	esac
	measure "$1" "$2.$3" "${options[@]}" "${competitor[@]}" -- "${command[@]}"
}

# seconds_of ROW LOAD: of one run, the mean of the three settings: a load that is always there takes a
# quarter of the machine from a balanced run and half of it from one that is not.
seconds_of()
{
	local work=${length[$2]} factor=1.25

	[ "${least[$1]:-0}" -le "$work" ] || work=${least[$1]}
	case $2 in
	none) factor=1 ;;
	constant) factor=1.6 ;;
	esac
	plus "$around" "$work" "$factor"
}

while read -r row class short meet words; do
	wanted "$row" "$short" || continue
	if [ ! -x "$programs/${words%% *}" ]; then
		[ -n "${BENCH_LEFT:-}" ] || echo "evaluation: $row left out: no program ${words%% *}"
		continue
	fi
	for load in $loads; do
		# shellcheck disable=SC2086
		group "$row.$load" "$(seconds_of "$row" "$load")" $settings < /dev/null
	done
done <<< "$(rows)"
cells_end
for file in "$cells/$item".*.work; do
	echo "  ${file##*"$item".}: repeats per second, meetings each time, command: $(< "$file")"
done | sed 's/\.work:/:/' | tee -a "$out/$item.figures"

# judge_row ROW CLASS LOAD
judge_row()
{
	local cell=$1.$3 nobody=$1.none.equant bound=0.80 against

	measured "$cell.equant" || return 0
	[ "$3" = none ] && measured "$cell.off" &&
		judge "$1, nobody competes: over not balanced" \
			"$cell.equant.elapsed/$cell.off.elapsed" '<=' 1.01
	if measured "$nobody" && [ "$3" = constant ]; then
		if [ "$2" = thesis ]; then
			bound=0.97
		elif perl -e 'exit !($ARGV[0] >= 0.001)' "$(median "$cell.equant.grain")"; then
			bound=0.90
		fi
		judge "$1, constant: efficiency over the dedicated one" \
			"$cell.equant.efficiency/$nobody.efficiency" '>=' "$bound"
	elif measured "$nobody" && [ "$2" = thesis ] && [ -n "${goal[$3]:-}" ]; then
		judge "$1, $3 s: efficiency over the dedicated one" \
			"$cell.equant.efficiency/$nobody.efficiency" '>=' "${goal[$3]}"
	fi
	for against in off thesis; do
		measured "$cell.$against" || continue
		judge "  $1, $3: seconds over those of '$against'" \
			"$cell.equant.elapsed/$cell.$against.elapsed" about 1.01
	done
}

while read -r row class short meet words; do
	for load in none constant 60 20 6 2 0.5; do
		judge_row "$row" "$class" "$load"
	done
done <<< "$(rows)"
perl "$bench/table.pl" "$raw" | tee "$out/$item.table"
