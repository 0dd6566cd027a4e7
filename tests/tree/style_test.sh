#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Kernel style, by the kernel's own tools out of the linux-source package.
#
# clang-format: the kernel's file, with 100 columns as checkpatch has it since
# 5.7, and our own for_each macro (see tests.mk).
#
# checkpatch.pl: what it is told to ignore is about kernel code only:
#	SPDX_LICENSE_TAG	wants the kernel's licence for every path it does not know
#	PREFER_KERNEL_TYPES	u32 and friends; user space has <stdint.h>
#	PREFER_DEFINED_ATTRIBUTE_MACRO	__packed and friends
#	ARRAY_SIZE		is a macro of the kernel
#	VOLATILE		rodata of a BPF object is const volatile, and a signal
#				handler's flag is volatile sig_atomic_t
#	ENOSYS			"only for system calls", which io_uring's are
#	COMPLEX_MACRO		a for-each macro of two loops cannot be in parentheses
#	STATIC_CONST_CHAR_ARRAY	execv() wants a char *argv[]
#	EMBEDDED_FUNCTION_NAME	a message names the public function that was misused
#	BRACES (tests)		an EXPECT_EQ() is two statements

. "$(dirname "$0")/lib.sh"

IGNORE=SPDX_LICENSE_TAG,PREFER_KERNEL_TYPES,PREFER_DEFINED_ATTRIBUTE_MACRO
IGNORE=$IGNORE,ARRAY_SIZE,VOLATILE,ENOSYS,COMPLEX_MACRO
IGNORE=$IGNORE,STATIC_CONST_CHAR_ARRAY,EMBEDDED_FUNCTION_NAME

mapfile -t files < <(sources '*.[ch]')

formatted()
{
	printf '%s\0' "${files[@]}" | xargs -0 -n 10 -P "$(nproc)" \
		clang-format --style="file:$TEST_BUILD/clang-format" --dry-run -Werror
}

# checkpatch IGNORE FILE...: without a repository, which it would ask whether each of them is a patch
checkpatch()
{
	local ignore=$1

	shift
	grep -hoE '\<MPI_[A-Z][a-z_]+\>' "$@" | sort -u > "$scratch/typedefs"
	printf '%s\0' "$@" | GIT_DIR=/nonexistent xargs -0 -r -n 100 -P "$(nproc)" \
		perl "$LINUX/scripts/checkpatch.pl" --no-tree --terse --quiet --no-summary \
		--max-line-length=100 --ignore="$ignore" --typedefsfile="$scratch/typedefs" -f
}

# Fortran has no checkpatch.pl: four spaces a level, lower case, at most 100 columns, nothing
# implicit, and names that say where they come from (module equant only hands on its parts).
fortran()
{
	find userlib apps tests -name '*.f90' -type f | sort | xargs -r awk '
		function fault(what) { print FILENAME ":" FNR ": " what }
		function unit_ends() {
			if (units != implicit)
				print file ": " units " modules and programs, " implicit " implicit none"
			units = implicit = 0
		}
		FNR == 1 { unit_ends(); file = FILENAME }
		/\t/ { fault("a tab") }
		/[ \t]$/ { fault("trailing blanks") }
		length > 100 { fault("more than 100 columns") }
		/^(module|program) / { units++ }
		/^    implicit none$/ { implicit++ }
		{ match($0, /^ */); indent = RLENGTH }
		!goes_on && !/^ *$/ && indent % 4 { fault("indented by " indent) }
		{
			code = $0
			gsub(/"[^"]*"/, "", code)
			sub(/!.*/, "", code)
			goes_on = code ~ /&$/
		}
		code ~ /(^|[^A-Za-z0-9_])(ALLOCATE|CALL|CASE|CHARACTER|DO|ELSE|END|FUNCTION|IF|INTEGER|LOGICAL|MODULE|PROGRAM|REAL|SUBROUTINE|THEN|TYPE|USE)([^A-Za-z0-9_]|$)/ {
			fault("a keyword in capitals")
		}
		code ~ /^ *use[ ,]/ && code !~ /only:/ && code !~ /^    use equant_[a-z]*$/ {
			fault("use without only:")
		}
		END { unit_ends() }'
}

# Every file says its licence in the first two lines.
licensed()
{
	local file

	find Makefile Kbuild bpf kmod userlib apps tools tests .ci -type f \
		! -path 'tests/*/corpus/*' ! -name '*.in' ! -name '*.txt' ! -name settings \
		! -name '*.golden' |
	while read -r file; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: ' ||
			echo "$file: no SPDX-License-Identifier"
	done
}

executable()
{
	grep -rlE --exclude-dir=.git --exclude-dir="$(basename "$TEST_BUILD")" '^#!/bin/(ba)?sh' . |
		while read -r file; do
			[ -x "$file" ] || [ "$(head -c 2 "$file")" != '#!' ] || echo "$file"
		done
}

# A paragraph of three lines or more stands in one place.
repeated()
{
	perl -00 -ne 's/\s+$//; print "$ARGV: stands twice: $_\n" if tr/\n// >= 2 && $seen{$_}++' \
		README Documentation/*.rst
}

mapfile -t tests < <(printf '%s\n' "${files[@]}" | grep '^tests/')
mapfile -t others < <(printf '%s\n' "${files[@]}" | grep -v '^tests/')

plan 7
if command -v clang-format > /dev/null; then
	silent "every file is formatted as the kernel's .clang-format says" formatted
else
	skip "every file is formatted as the kernel's .clang-format says" "no clang-format"
fi
silent "checkpatch.pl has nothing to say about the programs" checkpatch "$IGNORE" "${others[@]}"
silent "checkpatch.pl has nothing to say about the tests" \
	checkpatch "$IGNORE,BRACES" "${tests[@]}"
silent "the Fortran files keep to their style" fortran
silent "every file names its licence" licensed
silent "every script is executable" executable
silent "no paragraph of the documentation stands twice" repeated
finish
