#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Kernel style, by the kernel's own tools out of the linux-source package.
#
# clang-format: the kernel's file, with 100 columns as checkpatch has it since
# 5.7, and without the list of for_each macros, which are not ours.
# checkpatch's --ignore list, and why:
#	FILE_PATH_CHANGES, NEW_TYPEDEFS ...: about patches to the kernel, not files
#	SPDX_LICENSE_TAG	wants the kernel's choice of licence for a path
#	PREFER_KERNEL_TYPES	u32 is for the kernel; user space has stdint.h
#	PREFER_DEFINED_ATTRIBUTE_MACRO	__packed and friends are not in user space
#	CONST_STRUCT, STATIC_CONST_CHAR_ARRAY ...: stay on

. "$(dirname "$0")/lib.sh"

IGNORE=FILE_PATH_CHANGES,SPDX_LICENSE_TAG,PREFER_KERNEL_TYPES
IGNORE=$IGNORE,PREFER_DEFINED_ATTRIBUTE_MACRO,USE_NEGATIVE_ERRNO

mapfile -t files < <(sources '*.[ch]')

formatted()
{
	sed -e 's/^ColumnLimit:.*/ColumnLimit: 100/' -e '/^ForEachMacros:/,/^$/d' \
		"$LINUX/.clang-format" > "$TEST_BUILD/clang-format"
	clang-format --style="file:$TEST_BUILD/clang-format" --dry-run -Werror "${files[@]}"
}

checkpatch()
{
	perl "$LINUX/scripts/checkpatch.pl" --no-tree --terse --quiet --no-summary \
		--max-line-length=100 --ignore="$IGNORE" -f "${files[@]}"
}

# Every file says its licence in the first two lines.
licensed()
{
	local file

	find Makefile bpf userlib apps tools tests .ci -type f \
		! -name '*.in' ! -name '*.txt' ! -name settings ! -name '*.golden' |
	while read -r file; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: ' ||
			echo "$file: no SPDX-License-Identifier"
	done
}

plan 3
if command -v clang-format > /dev/null; then
	silent "every file is formatted as the kernel's .clang-format says" formatted
else
	skip "every file is formatted as the kernel's .clang-format says" "no clang-format"
fi
silent "checkpatch.pl has nothing to say" checkpatch
silent "every file names its licence" licensed
finish
