#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The tests of the rooms that know neither MPI nor BPF, under the address and
# undefined-behaviour sanitizers.

. "$(dirname "$0")/lib.sh"

san=$TEST_BUILD/sanitizers
pure="HAVE_MPI=0 HAVE_BPF=0 SANITIZE=address,undefined"

if ! echo 'int main(void) { return 0; }' |
		gcc -fsanitize=address,undefined -x c - -o "$scratch/probe" 2> /dev/null; then
	echo "1..0 # SKIP gcc has no sanitizers here"
	exit 4
fi

# shellcheck disable=SC2086
mapfile -t names < <(build sanitizers $pure list-tests | grep -v '\.sh$')
plan $((2 + ${#names[@]}))
succeeds "there are tests that know neither MPI nor BPF" test "${#names[@]}" -gt 0
# shellcheck disable=SC2086
succeeds "the sanitizers' build compiles" build sanitizers CC=gcc $pure CFLAGS='-Og -g1' tests

export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
export TEST_SANITIZED=1
# None of them shares anything with another.
for name in "${names[@]}"; do
	mkdir -p "$scratch/logs/${name%/*}"
done
printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -I '{}' sh -c \
	'tests/run.sh -o "$1" "$2" > "$3" 2>&1 || echo "# failed" >> "$3.failed"' \
	sh "$san" '{}' "$scratch/logs/{}"
clean()
{
	cat "$scratch/logs/$1"
	[ -s "$scratch/logs/$1" ] && [ ! -e "$scratch/logs/$1.failed" ]
}
for name in "${names[@]}"; do
	succeeds "$name is clean" clean "$name"
done
finish
