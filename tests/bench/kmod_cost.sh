#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What the kernel module costs, in instructions of a guest whose clock counts them, and,
# for what they are worth there, in emulated time.

. "$(dirname "$0")/lib.sh"

source=$(cd "$bench/../.." && pwd)
kernels=${KERNELS:-$TEST_BUILD/kernels}
program=$TEST_BUILD/tests/bench/kmod_cost
: > "$out/$item.figures"

leave_out()
{
	echo "$item: left out: $(echo "$1" | paste -sd ';')" | tee "$out/$item.figures"
	exit 0
}

lacking=$("$source/tests/vm/boot.sh" "$kernels/6.1" --missing | grep -v '^no kernel')
[ -z "$lacking" ] || leave_out "$lacking"

# in_guest VERSION VARIANT [OPTION]: one CPU, on which nothing else switches once the
# kernel has done what it puts off while it boots
in_guest()
{
	local log=$out/$item/$2.txt

	# shellcheck disable=SC2016
	if ! "$source/tests/vm/boot.sh" ${3:+"$3"} -c 1 -t 300 "$kernels/$1" \
		bash -c 'insmod "$1" && sleep 5 && exec "$2"' - "$module" "$program" > "$log" 2>&1; then
		echo "$item: kernel $1 failed:" >&2
		cat "$log" >&2
		exit 1
	fi
	awk -v variant="$2" '
		{ for (i = 2; i <= NF; i++) line[i] = line[i] "\t" $1 "=" $i }
		END { for (i = 2; i in line; i++) print i - 1 "\t" variant line[i] }' "$log" >> "$raw"
}

# tell VERSION VARIANT SUFFIX UNIT
tell()
{
	judge "$1: a switch, nothing attached, $4" "$2.switch_$3"
	judge "  more with one of 256 tasks attached" "$2.attached_1_$3"
	judge "  more with all of them attached" "$2.attached_256_$3"
	judge "$1: a task in a snapshot of 256, $4" "$2.snapshot_$3"
	judge "  one reading of its schedstat" "$2.schedstat_$3"
	judge "  ... in snapshots" "$2.schedstat_$3/$2.snapshot_$3"
}

build()
{
	"$source/tools/build/kernels.sh" "$kernels" "$1" &&
		make --no-print-directory -C "$source" O="$TEST_BUILD" modules \
			KDIR="$kernels/$1/build"
}

for version in 6.1 6.12; do
	build $version > "$out/$item/log" 2>&1 ||
		leave_out "no kernel $version: $(tail -n 1 "$out/$item/log")"
	module=$TEST_BUILD/modules/$(cat "$kernels/$version/release")/kmod/equant.ko
	variant=${version/./_}
	in_guest $version "counted_$variant" -i
	tell $version "counted_$variant" ticks instructions
	in_guest $version "timed_$variant"
	tell $version "timed_$variant" us "emulated us"
done
