#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Documentation/api.rst has the functions of the public headers, and each is described in its header.

. "$(dirname "$0")/lib.sh"

document=Documentation/api.rst

# Lines "NAME HEADER": what is exported, inline or a macro
for header in userlib/include/equant/*.h; do
	{
		tools/build/symbols.sh "$header"
		sed -n -e 's/^static inline [^(]*[* ]\(equant_[a-z0-9_]*\)(.*/\1/p' \
			-e 's/^#define \(equant_[a-z0-9_]*\)(.*/\1/p' "$header"
	} | sed "s/\$/ ${header##*/}/"
done | sort > "$scratch/declared"

for header in userlib/include/equant/*.h; do
	sed -n "s,^\(/\*\*\| \*\) \(equant_[a-z0-9_]*\)() - ..*,\2 ${header##*/},p" "$header"
done | sort > "$scratch/described"

# The header is the row's, or follows the function in brackets; outside of the table there is none.
awk '
	/^=+ =+ =+ =+$/ { rules++; at = length($1) + 2; width = length($2); next }
	rules != 2 { header = "" }
	rules == 2 && /^[^ ]/ { header = substr($0, at, width); sub(/ +$/, "", header) }
	{
		while (match($0, /``equant_[a-z0-9_]*\(\)``( \(``[a-z0-9_]*\.h``\))?/)) {
			name = substr($0, RSTART, RLENGTH)
			$0 = substr($0, RSTART + RLENGTH)
			gsub(/[`()]/, "", name)
			print name ~ / / ? name : name " " header
		}
	}' "$document" | sort -u > "$scratch/listed"

names()
{
	cut -d' ' -f1 "$scratch/$1" | sort -u
}

complete()
{
	{
		sed -n 's/^[[:space:]]*\(equant_[a-z0-9_]*\);$/\1/p' userlib/libequant.map
		names declared
	} | sort -u | comm -23 - <(names listed)
}

declared()
{
	comm -13 "$scratch/declared" "$scratch/listed"
}

described()
{
	comm -23 "$scratch/declared" "$scratch/described"
}

plan 3
silent "api.rst has every function that is exported, and those that headers define" complete
silent "api.rst names functions beside the header that has them, and no others" declared
silent "every function has a comment in its header" described
finish
