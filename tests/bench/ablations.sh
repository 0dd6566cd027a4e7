#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# One mechanism changed at a time, as in the thesis' figures 2.5, 3.8, 4.12, 5.3, 5.7 and 5.11
# (Siegell 1995).  Three bases:
#
#	basic	nothing but the balancer of section 2.5: a period of 1 s, measured rates, not
#		pipelined, no threshold, no filter, moves never cancelled; figures 4.12, 5.3 and
#		5.7 add to it
#	thesis	all of it (table 7.3); figures 2.5 and 5.11 take away from it
#	equant	as it is
#
# Traces of single runs, and pictures of them, are like figures 7.13 and 7.26.
#
# Of equant also who decides and how ranks wait are changed, how the rows of lu are dealt out, and which way work
# moves between the four ranks of mm4, two on each CPU, whose products take twice as long.
#
# mm has products of 20 ms, as rows of 3 kB cost next to nothing to move; figures 4.12 to 5.11, which
# the thesis has of sor, are measured with sor10000 as well, whose columns of 80 kB do cost.
#
#	BENCH_ROWS="mm mm4 sor10000 lu sor1000 sor2000"		only these programs
#	BENCH_LOADS="none constant 6 2 trace20 trace2"		only under these loads

. "$(dirname "$0")/cells.sh"

# What this library can do: how many phases an interaction may take, and asynchronous passes
modes=$("$equant" help env | grep -c '^EQUANT_MODE$')
most=$("$equant" help env | grep -A 2 '^EQUANT_DEPTH$' | sed -n 's/.*0\.\.\([0-9]*\);.*/\1/p')
seconds=3
grain=0.02

# Figure, what is changed, to what, and the variant's name.  After its base: options, without
# EQUANT_, with = for their values.
variants()
{
	cat <<- 'END' | tr -s '\t'
		2.5		balancing	off		off
		2.5		depth		0		thesis,DEPTH=0
		2.5		depth		1		thesis
		2.5		depth		2		thesis,DEPTH=2
		2.5		hooks		inside		inside,thesis
		2.5		mode		asynchronous	inside,thesis,MODE=asynchronous
		4.12		period		0.2 s		basic,PERIOD=0.2
		4.12		period		0.5 s		basic,PERIOD=0.5
		4.12		period		1 s		basic
		4.12		period		2 s		basic,PERIOD=2
		5.3		threshold	0		basic
		5.3		threshold	10 %		basic,THRESHOLD=0.1
		5.7		filter		none		basic
		5.7		filter		states		basic,FILTER=states
		5.7		filter		constant	basic,FILTER=constant
		5.7		filter		direction	basic,FILTER=direction
		5.11		profitability	on		thesis
		5.11		profitability	off		thesis,PROFIT=0
		thesis		threshold	0		thesis,THRESHOLD=0
		thesis		filter		none		thesis,FILTER=none
		thesis		filter		constant	thesis,FILTER=constant
		thesis		filter		direction	thesis,FILTER=direction
		thesis		period		0.2 s		thesis,PERIOD=0.2
		thesis		period		0.5 s		thesis,PERIOD=0.5
		thesis		period		2 s		thesis,PERIOD=2
		equant		-		-		equant
		equant		threshold	0		equant,THRESHOLD=0
		equant		profitability	off		equant,PROFIT=0
		equant		depth		0		equant,DEPTH=0
		equant		depth		2		equant,DEPTH=2
		equant		period		0.2 s		equant,PERIOD=0.2
		equant		period		0.5 s		equant,PERIOD=0.5
		equant		period		1 s		equant,PERIOD=1
		equant		period		2 s		equant,PERIOD=2
		equant		prompt		off		equant,PROMPT=off
		equant		steady		off		equant,STEADY=off
		equant		control		tree		equant,CONTROL=tree
		equant		control		central		equant,CONTROL=central
		equant		wait		block		equant,WAIT=block
		equant		wait		spin		equant,WAIT=spin
		equant		rate		measured	equant,RATE=measured
		equant		hooks		inside		inside,equant
		equant		mode		asynchronous	inside,equant,MODE=asynchronous
	END
}

# Those that say when to move
deciding()
{
	variants | awk -F '\t' '$1 ~ /^[45]\./ || $1 == "equant" && $2 ~ /^(-|threshold|profitability|period|rate)$/ ||
		$2 == "balancing"'
}

# Which work moves.  Two ranks have one transfer in a phase, and one way to move.
moving()
{
	cat <<- 'END' | tr -s '\t'
		balancing	off		off
		movement	unrestricted	equant
		movement	restricted	equant,MOVEMENT=restricted
		ports		1		equant,PORTS=1
		omitted below	20 units	equant,OMIT=20
		crowds		off		equant,CROWDS=off
	END
}

# Figure 3.8: a strip of 1.5 quanta, or the library's choice
blocks()
{
	cat <<- 'END' | tr -s '\t'
		3.8		block		automatic	off
		3.8		block		1.5 quanta	off,BLOCK
		balanced	block		automatic	equant
		balanced	block		1.5 quanta	equant,BLOCK
	END
}

# LU needs fewer rows from step to step: ranks that have blocks of them run out of work one after the other,
# those with rows from all over do not.
rows()
{
	cat <<- 'END' | tr -s '\t'
		off		rows		in blocks	off
		off		rows		in turn		cyclic,off
		equant		rows		in blocks	equant
		equant		rows		in turn		cyclic,equant
	END
}

# Those that the library has
known()
{
	awk -v "most=${most:-1}" -v "modes=$modes" \
		'(most >= 2 || !/DEPTH=2/) && (modes > 0 || !/inside/)'
}

# settings VARIANT: sets options, and run, the command
settings()
{
	local word words

	IFS=, read -r -a words <<< "$1"
	options=() run=("${command[@]}")
	for word in "${words[@]}"; do
		case $word in
		off) options+=(--balance off) ;;
		equant) ;;
		inside | cyclic) run=("${other[@]}") ;;
		thesis) options+=("${thesis[@]}") ;;
		basic) options+=("${thesis[@]}" --set EQUANT_DEPTH=0 --set EQUANT_THRESHOLD=0
			--set EQUANT_FILTER=none --set EQUANT_PROFIT=0) ;;
		BLOCK) options+=(--set "EQUANT_BLOCK=$block") ;;
		*) options+=(--set "EQUANT_$word") ;;
		esac
	done
}

# block_of N PER_SECOND: iterations of the inner loop that take a rank 1.5 quanta (BENCH_QUANTUM,
# seconds); a sweep has N of them
block_of()
{
	perl -e 'my ($n, $per_second, $quantum) = @ARGV;
		my $block = int(1.5 * $quantum * $per_second * $n + 0.5);
		print $block < 1 ? 1 : $block > $n ? $n : $block' "$1" "$2" "${BENCH_QUANTUM:-0.004}"
}

# prepare PROGRAM.LOAD; other is the command for hooks between the rows of a product, or for rows dealt out in turn
other=()
prepare()
{
	local load=${1#*.} n=${1%%.*} meet=$meet

	each=1
	case $n in
	mm4)
		each=2
		work mm4 "$length" mm -n @n -p @r
		;;
	mm) both --hooks inside -- mm "$length" mm -n @n -p @r ;;
	lu)
		meet=1000
		both --cyclic -- lu "$length" lu -n 1000 -r @r --no-verify
		;;
	*)
		n=${n#sor}
		work "sor$n" "$length" sor -n "$n" -s @r --no-verify
		block=$(block_of "$n" "$per_second")
		;;
	esac
	compete "${load#trace}"
}

# both WORD... -- NAME SECONDS PROGRAM ARGUMENT...: sets command as work does, and other with these words more
both()
{
	local more=() plain

	while [ "$1" != -- ]; do
		more+=("$1")
		shift
	done
	shift
	work "$@"
	plain=("${command[@]}") after=("${more[@]}")
	work "$@"
	other=("${command[@]}") after=() command=("${plain[@]}")
}

cell()
{
	local options run traces=$out/$item/$2.$3

	settings "$3"
	case $2 in
	*.trace*)
		rm -rf "$traces"
		measure "$1" "$2.$3" "${options[@]}" --trace "$traces" "${competitor[@]}" -- \
			"${run[@]}"
		"$equant" report --svg "$traces.svg" "$traces"/*.trace > "$traces.txt" || exit 1
		;;
	*)
		measure "$1" "$2.$3" "${options[@]}" "${competitor[@]}" -- "${run[@]}"
		;;
	esac
}

# wanted PROGRAM.LOAD
wanted()
{
	listed "${1%%.*}" "${BENCH_ROWS:-}" && listed "${1#*.}" "${BENCH_LOADS:-}"
}

mapfile -t names < <(variants | known | cut -f 4 | sort -u)
length=$seconds
for load in constant 2 none; do
	! wanted "mm.$load" || group "mm.$load" "$(plus 1 "$seconds" 1.3)" "${names[@]}"
done
mapfile -t names < <(moving | cut -f 3)
for load in constant 2; do
	! wanted "mm4.$load" || group "mm4.$load" "$(plus 1 "$seconds" 1.5)" "${names[@]}"
done
if [ -x "$programs/sor" ]; then
	mapfile -t names < <(deciding | cut -f 4 | sort -u)
	for load in constant 6; do
		[ "$load" = constant ] || length=$load
		! wanted "sor10000.$load" || group "sor10000.$load" "$(plus 3 "$length" 1.4)" "${names[@]}"
	done
fi
length=$seconds
mapfile -t names < <(rows | cut -f 4)
if [ -x "$programs/lu" ]; then
	for load in constant 2 none; do
		! wanted "lu.$load" || group "lu.$load" "$(plus 2 "$seconds" 1.4)" "${names[@]}"
	done
fi
mapfile -t names < <(blocks | cut -f 4)
if [ -x "$programs/sor" ]; then
	for load in sor1000.none sor1000.constant sor2000.none sor2000.constant; do
		! wanted "$load" || group "$load" "$(plus 4 "$seconds" 1.4)" "${names[@]}"
	done
fi
traced=mm
[ ! -x "$programs/sor" ] || traced=sor1000
for length in 20 2; do
	load=trace$length
	length=$((2 * length < 10 ? 10 : 2 * length))
	wanted "$traced.$load" || continue
	rounds=1 group "$traced.$load" "$(plus 3 "$length" 1.25)" off thesis equant
done
cells_end

head=$'figure\twhat is changed\tto'
echo
echo "Efficiency (Siegell 1995, eq. 1.4): median (quartiles)"
echo
{
	variants | known | perl "$bench/matrix.pl" "$raw" efficiency "$head" mm.none mm.constant mm.2
	if [ -x "$programs/sor" ]; then
		echo
		deciding | perl "$bench/matrix.pl" "$raw" efficiency "$head" sor10000.constant sor10000.6
	fi
	if [ -x "$programs/lu" ]; then
		echo
		rows | perl "$bench/matrix.pl" "$raw" efficiency "$head" lu.none lu.constant lu.2
	fi
	if [ -x "$programs/sor" ]; then
		echo
		blocks | perl "$bench/matrix.pl" "$raw" efficiency "$head" sor1000.none sor1000.constant \
			sor2000.none sor2000.constant
	fi
	echo
	echo "Four ranks: seconds, units that moved"
	for figure in elapsed sent; do
		echo
		moving | perl "$bench/matrix.pl" "$raw" "$figure" $'what is changed\tto' mm4.constant mm4.2
	done
} | tee "$out/$item.table"
echo
echo "Traces and pictures: $out/$item/$traced.trace*"
