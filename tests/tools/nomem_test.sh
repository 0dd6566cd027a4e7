#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Commands without memory: from each of their allocations on, one after another, they get no more.

. "$(dirname "$0")/lib.sh"

plan 7

mkdir "$scratch/tmp" "$scratch/traces" && export TMPDIR=$scratch/tmp
"$TEST_BUILD/tests/trace/write_worker" "$scratch/traces" || exit 1
listing mm.nest advise.rst

# What the command starts has memory.
gcc -O1 -shared -fPIC -Itests/mpi -x c -o "$scratch/nomem.so" - << 'END' || exit 1
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "libcmalloc.h"

static long left = LONG_MAX; /* libraries begin before us */

static int fails(void)
{
	if (left-- > 0)
		return 0;
	left = 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
	return fails() ? NULL : __libc_realloc(memory, size);
}

__attribute__((constructor)) static void begin(void)
{
	left = atol(getenv("NOMEM_FROM"));
	unsetenv("LD_PRELOAD");
}
END

# says_why STATUS PATTERN ARGUMENT...: it ends with that or a lower one above 0, says why and leaves nothing,
# until there is enough, and then it prints the pattern
says_why()
{
	local most=$1 pattern=$2 status n

	shift 2
	for n in $(seq 0 1000); do
		env NOMEM_FROM="$n" LD_PRELOAD="$scratch/nomem.so" "$equant" "$@" \
			> "$scratch/printed" 2> "$scratch/error"
		status=$?
		echo "from allocation $n on: exit status $status, left: $(ls "$TMPDIR")"
		cat "$scratch/error"
		[ -z "$(ls "$TMPDIR")" ] && [ $status -le "$most" ] || return 1
		if [ $status -eq 0 ]; then
			[ "$n" -gt 0 ] && grep -q -e "$pattern" "$scratch/printed"
			return
		fi
		grep -q 'Cannot allocate memory' "$scratch/error" || return 1
	done
	return 1
}

succeeds "report says that there is no memory" says_why 1 '^rank 1 ' report "$scratch"/traces/rows.?.trace
succeeds "... also of what it writes" says_why 1 '"complete"' report --json --svg "$scratch/rows.svg" \
	--perfetto "$scratch/rows.json" "$scratch"/traces/rows.?.trace
succeeds "advise says that there is no memory" says_why 1 ' hook$' advise "$scratch/mm.nest"
succeeds "... also where it explains" says_why 1 '"text": "in loop i: right after' advise --json "$scratch/mm.nest"
if [ "$(config HAVE_MPI)" = 1 ]; then
	succeeds "run says that there is no memory, and leaves nothing" says_why 126 'no loop reported' run -- true
	succeeds "... also with loads and a time line" says_why 126 '^rank 1 ' run --load constant --timeline \
		-- sh -c 'cp "$0"/rows.?.trace "$EQUANT_TRACE"' "$scratch/traces"
	mkdir "$scratch/profiles"
	EQUANT_REPORT=$scratch/profiles "$equant" run --profile -- \
		mpirun --oversubscribe --bind-to none -np 2 "$TEST_BUILD/tests/preload/program_worker" silent
	succeeds "... also with profiles" says_why 126 '^profile of 2 ranks' run --profile \
		-- sh -c 'cp "$0"/?.0.profile "$EQUANT_MPI_PROFILE"' "$scratch/profiles"
else
	skip "run says that there is no memory, and leaves nothing" "built without MPI"
	skip "... also with loads and a time line" "built without MPI"
	skip "... also with profiles" "built without MPI"
fi

finish
