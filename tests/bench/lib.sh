# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=bash
#
# What the measurements have in common.  Variants of a run alternate, so that
# whatever else happens on the machine meets all of them; everything measured
# is kept in $out.

set -u
export LC_ALL=C
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${TEST_BUILD:=$bench/../../build}"
TEST_BUILD=$(cd "$TEST_BUILD" && pwd) || exit 1
out=$TEST_BUILD/bench
equant=$TEST_BUILD/bin/equant
mm=$TEST_BUILD/libexec/equant/mm
item=$(basename "$0" .sh)
raw=$out/$item.raw
rounds=${BENCH_ROUNDS:-7}
mkdir -p "$out/$item" || exit 1
: > "$raw"
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

# job SIZE PRODUCTS [OPTION]: sets command, mm on one pinned rank per CPU
job()
{
	local program=("$mm" -n "$1" -p "$2" "${@:3}")

	command=(mpirun --bind-to none -np 1 taskset -c "$cpu_a" "${program[@]}"
		: -np 1 taskset -c "$cpu_b" "${program[@]}")
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
	perl "$bench/raw.pl" "$round" "$variant" "$file" >> "$raw"
}

# judge TEXT EXPRESSION [RELATION GOAL]: see figures.pl
judge()
{
	perl "$bench/figures.pl" "$raw" "$@" | tee -a "$out/$item.figures"
}

# size SECONDS: sets n, rows and columns for which one product takes a rank so long, and
# the number of products that take a rank ten seconds
size()
{
	local file=$out/$item/size.json

	n=512 products=20
	for _ in 1 2; do
		job "$n" "$products"
		if ! "$equant" run --quiet --balance off --json --output "$file" -- \
			"${command[@]}" > "$out/$item/log" 2>&1; then
			cat "$out/$item/log" >&2
			exit 1
		fi
		read -r n products <<< "$(perl "$bench/size.pl" "$1" "$n" "$file")"
	done
	echo "$item: n=$n products=$products per 10 s, load average $(cut -d' ' -f1-3 /proc/loadavg)" |
		tee "$out/$item.figures"
}

# for_seconds S: products that take a rank S seconds of CPU time
for_seconds()
{
	echo $(((products * $1 + 9) / 10))
}
