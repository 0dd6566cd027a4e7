#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The automatic block size of a pipelined loop against a sweep of fixed ones, as in the thesis'
# figure 3.7 (Siegell 1995, section 3.3.4): sor on two dedicated ranks, not balanced, three sizes,
# without and with an artificial delay of each message (EQUANT_DELAY).  Strips of all sizes are computed
# in tiles, so that nothing but the size makes a difference; in the row `whole' the automatic size is not
# (EQUANT_TILES).

. "$(dirname "$0")/cells.sh"

delay=500 # us
sizes="500 1000 2000"
blocks="2 3 5 10 20 50 100 200 500"
if [ ! -x "$programs/sor" ]; then
	[ -n "${BENCH_LEFT:-}" ] && echo "0 0"
	[ -n "${BENCH_LEFT:-}" ] || echo "blocksize: left out: no program sor"
	exit 0
fi

# blocks_of N DELAY: whole columns are a block, too; where a message takes $delay us, short ones take
# minutes
blocks_of()
{
	local block

	for block in $blocks; do
		[ "$block" -ge "$1" ] || [ $((block * 10)) -lt "$2" ] || echo "$block"
	done
	echo "$1"
}

# prepare SIZE.DELAY: some hundred sweeps, of which the search for a block takes fifty; less work
# where messages take most of the time
prepare()
{
	local n=${1%.*}

	before=()
	work "$n" 4 sor -n "$n" -s @r --no-verify
	[ "${1#*.}" != 0 ] || return 0
	before=(env "EQUANT_DELAY=${delay}e-6")
	work "$n" 1 sor -n "$n" -s @r --no-verify
}

cell()
{
	local options=(--balance off)

	case $3 in
	auto) ;;
	whole) options+=(--set EQUANT_TILES=1e15) ;;
	*) options+=(--set "EQUANT_BLOCK=$3") ;;
	esac
	measure "$1" "$2.$3" "${options[@]}" -- "${command[@]}"
}

for n in $sizes; do
	for with in 0 $delay; do
		# shellcheck disable=SC2046
		group "$n.$with" 6 auto whole $(blocks_of "$n" "$with")
	done
done
cells_end

# best N DELAY: the fixed block size with the least median
best()
{
	local block

	for block in $(blocks_of "$1" "$2"); do
		echo "$(median "$1.$2.$block.elapsed") $block"
	done | sort -g | sed -n '1s/.* //p'
}

for n in $sizes; do
	for with in 0 $delay; do
		block=$(best "$n" "$with")
		judge "$n x $n, $with us more per message: seconds over those of $block" \
			"$n.$with.auto.elapsed/$n.$with.$block.elapsed" '<=' 1.02
		judge "  efficiency" "$n.$with.auto.efficiency"
		judge "  seconds without tiles, over those with" "$n.$with.whole.elapsed/$n.$with.auto.elapsed"
	done
done
{
	# shellcheck disable=SC2046
	for block in auto whole $(blocks_of 2000 0); do
		printf '%s\t%s\n' "$block" "$block"
	done
} | perl "$bench/matrix.pl" "$raw" efficiency block $(for n in $sizes; do echo "$n.0" "$n.$delay"; done) |
	tee "$out/$item.table"
