#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Print the functions that the public headers mark EQUANT_API, one per line,
# sorted: symbols.sh HEADER...

for header; do
	${CC:-gcc} -fpreprocessed -w -E -P "$header" || exit 1
done | grep -v '^#' | tr '\n' ' ' | tr ';{}' '\n\n\n' |
	sed -n 's/.*EQUANT_API[^(]*[* ]\(equant_[a-z0-9_]*\) *(.*/\1/p' | sort
