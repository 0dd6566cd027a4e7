# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=bash
#
# What the measurements have in common.  Variants of a run alternate, so that
# whatever else happens on the machine meets all of them; everything measured
# is kept in $out.

set -u
export LC_ALL=C

# Who is interrupted does not begin with what comes next.  A figure without a number is neither met nor
# missed: the others are judged, and the measurement has failed.
unjudged=
trap '[ -z "$unjudged" ] || exit 1' EXIT
trap 'exit 130' INT TERM HUP

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${TEST_BUILD:=$bench/../../build}"
TEST_BUILD=$(cd "$TEST_BUILD" && pwd) || exit 1
out=$TEST_BUILD/bench
equant=$TEST_BUILD/bin/equant
programs=$TEST_BUILD/libexec/equant
item=$(basename "$0" .sh)
raw=$out/$item.raw
rounds=${BENCH_ROUNDS:-7}
mkdir -p "$out/$item" || exit 1
[ -n "${BENCH_LEFT:-}" ] || : > "$raw"
# The settings that the thesis' evaluation used (table 7.3).
thesis=(--set EQUANT_PERIOD=1 --set EQUANT_RATE=measured --set EQUANT_THRESHOLD=0.1)
if [ "$(id -u)" -eq 0 ]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# The first two CPUs we may use, or BENCH_CPUS="A B"; the load runs on A.
set -- ${BENCH_CPUS:-$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status | tr , '\n' |
	awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -2)}
if [ $# -ne 2 ]; then
	echo "$item: two CPUs are needed" >&2
	exit 1
fi
cpu_a=$1 cpu_b=$2
shift 2

# ranks PROGRAM ARGUMENT...: sets command, $each ranks pinned to each CPU; before holds words that
# start the program, after more arguments
before=() after=() each=1
ranks()
{
	local program=("${before[@]}" "$programs/$1" "${@:2}" "${after[@]}")

	command=(mpirun --bind-to none)
	[ "$each" -eq 1 ] || command+=(--oversubscribe)
	command+=(-np "$each" taskset -c "$cpu_a" "${program[@]}"
		: -np "$each" taskset -c "$cpu_b" "${program[@]}")
}

# job SIZE PRODUCTS [OPTION]: sets command, mm
job()
{
	ranks mm -n "$1" -p "$2" "${@:3}"
}

# repeats_per_second MEET PROGRAM ARGUMENT...: prints how often two dedicated ranks, not balanced,
# repeat the program's work in a second, and the words; @r among those of the program is how often
repeats_per_second()
{
	local file=$out/$item/repeats.json times=1 meet=$1 elapsed

	shift
	for _ in 1 2 3 4 5 6; do
		ranks "${@//@r/$times}"
		if ! "$equant" run --quiet --balance off --json --output "$file" -- \
			"${command[@]}" > "$out/$item/log" 2>&1; then
			cat "$out/$item/log" >&2
			return 1
		fi
		perl "$bench/raw.pl" 1 off "$file" > "$file.raw"
		elapsed=$(perl "$bench/figures.pl" "$file.raw" repeats off.elapsed median)
		if perl -e 'exit !($ARGV[0] >= 1)' "$elapsed"; then
			perl -e 'printf "%.9g", shift(@ARGV) / shift(@ARGV)' "$times" "$elapsed"
			echo " $meet $*"
			return
		fi
		times=$(perl -e 'my ($n, $t) = @ARGV; my $more = 1.5 / ($t > 0.001 ? $t : 0.001);
			printf "%.0f", $n * ($more > 100 ? 100 : $more) + 1' "$times" "$elapsed")
	done
	echo "$item: $1: no run takes a second" >&2
	return 1
}

# measure ROUND VARIANT RUN-OPTION... -- COMMAND...: one run under `equant run`
measure()
{
	local round=$1 variant=$2 file=$out/$item/$1-$2.json

	shift 2
	if ! "$equant" run --quiet --json --output "$file" "$@" > "$out/$item/log" 2>&1; then
		echo "$item: $variant failed:" >&2
		cat "$out/$item/log" >&2
		exit 1
	fi
	perl "$bench/raw.pl" "$round" "$variant" "$file" >> "$raw" || exit 1
}

# timed ROUND VARIANT END [WORD...]: one run of the command, behind these words; by the program's own clock, in a
# line of its that ends so
timed()
{
	local round=$1 variant=$2 end=$3 elapsed

	shift 3
	elapsed=$("$@" "${command[@]}" 2> "$out/$item/log" | tee "$out/$item/$round-$variant.txt" |
		sed -n "s/.* elapsed=\\([0-9.]*\\)$end\$/\\1/p")
	if [ -z "$elapsed" ]; then
		cat "$out/$item/log" "$out/$item/$round-$variant.txt" >&2
		exit 1
	fi
	printf '%s\t%s\telapsed=%s\n' "$round" "$variant" "$elapsed" >> "$raw"
}

# at_grains ROUND VARIANT KIND SECONDS [NAME=VALUE...]: tests/bench/waiting, one rank per CPU and a
# competitor on A, all of $grains in one job
at_grains()
{
	local round=$1 variant=$2 words=("$3" busy "$4") file=$out/$item/$1-$2.txt
	local program=$TEST_BUILD/tests/bench/waiting

	# shellcheck disable=SC2086
	if ! env "${@:5}" mpirun --bind-to none \
		-np 1 taskset -c "$cpu_a" "$program" "${words[@]}" $grains : \
		-np 1 taskset -c "$cpu_b" "$program" "${words[@]/busy/free}" $grains \
		> "$file" 2> "$out/$item/log"
	then
		echo "$item: $variant failed:" >&2
		cat "$out/$item/log" >&2
		exit 1
	fi
	awk -v round="$round" -v variant="$variant" '{ printf "%s\t%s.%s\tphases=%s\telapsed=%s\twork=%s\tcompetitor=%s\tefficiency=%s\n",
		round, variant, $1, $2, $3, $4, $5, $6 }' "$file" >> "$raw"
}

# draw_grains TITLE NAME...: efficiency against $grains of these variants, as a table and as a picture
draw_grains()
{
	local grain name

	echo
	for grain in $grains; do
		printf '%s\t%s\n' "$grain" "$grain"
	done | perl "$bench/matrix.pl" "$raw" efficiency "work, us" "${@:2}" | tee "$out/$item.table"
	{
		echo grain "${@:2}"
		for grain in $grains; do
			printf '%s' "$grain"
			for name in "${@:2}"; do
				printf ' %s' "$(median "$name.$grain.efficiency")"
			done
			echo
		done
	} | "$TEST_BUILD/tests/bench/chart" "$1" "work per barrier, us" > "$out/$item.svg" || exit 1
	echo "picture: $out/$item.svg"
}

# judge TEXT EXPRESSION [RELATION GOAL]: see figures.pl
judge()
{
	perl "$bench/figures.pl" "$raw" "$@" | tee -a "$out/$item.figures"
	[ "${PIPESTATUS[0]}" -eq 0 ] || unjudged=1
}

# median EXPRESSION: prints it
median()
{
	perl "$bench/figures.pl" "$raw" "$1" "$1" median
}

# size SECONDS [MEET PROGRAM ARGUMENT...]: sets n, rows and columns for which the work between two
# meetings takes a rank so long, and products, how often a rank repeats it all in ten seconds: mm's
# products, or those of another program whose work grows with the cube of @n and whose ranks meet
# MEET times (@n may be in it) each time; @r among its arguments is how often
size()
{
	local file=$out/$item/size.json seconds=$1 meet=${2:-1} power=3 words

	shift $(($# > 1 ? 2 : 1))
	[ $# -gt 0 ] || set -- mm -n @n -p @r
	case $meet in *@n*) power=2 ;; esac
	n=512 products=20
	for _ in 1 2; do
		words=("${@//@n/$n}")
		ranks "${words[@]//@r/$products}"
		if ! "$equant" run --quiet --balance off --json --output "$file" -- \
			"${command[@]}" > "$out/$item/log" 2>&1; then
			cat "$out/$item/log" >&2
			exit 1
		fi
		read -r n products <<< "$(perl "$bench/size.pl" "$seconds" "$n" "$products" \
			"$((${meet//@n/$n}))" "$power" "$file")"
	done
	echo "$item: $1: n=$n products=$products per 10 s, load average $(cut -d' ' -f1-3 /proc/loadavg)" |
		tee "$out/$item.figures"
}

# for_seconds S: products that take a rank S seconds of CPU time
for_seconds()
{
	echo $(((products * $1 + 9) / 10))
}
