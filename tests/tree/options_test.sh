#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Documentation/options.rst says what `equant help env` says: the same
# variables, the same ranges, the same defaults.

. "$(dirname "$0")/lib.sh"

equant=$TEST_BUILD/bin/equant
document=Documentation/options.rst

if ! "$equant" help env > "$scratch/help" 2> "$scratch/error"; then
	echo "1..0 # SKIP $equant help env: $(cat "$scratch/error")"
	exit 4
fi

# "NAME range; default: value" per variable
awk '/^EQUANT_/ { name = $1 } /; default: / { sub(/^ +/, ""); print name " " $0 }' \
	"$scratch/help" | sort > "$scratch/library"
awk '/^``EQUANT_[A-Z_]*``$/ { name = $0; gsub("`", "", name); next }
     name { sub(/^[ \t]+/, ""); print name " " $0; name = "" }' \
	"$document" | sort > "$scratch/document"

described()
{
	[ -s "$scratch/library" ] || echo "help env lists nothing"
	diff "$scratch/library" "$scratch/document" | sed -n -e 's/^</help env: /p' \
		-e "s,^>,$document: ,p"
}

# Other documents may only speak of variables that exist.
unknown()
{
	grep -ohE 'EQUANT_[A-Z]+(_[A-Z]+)*=' README Documentation/*.rst | tr -d = | sort -u |
		grep -vxF -e EQUANT_SEED -f <(cut -d' ' -f1 "$scratch/library")
	true
}

plan 2
silent "options.rst names every option with its range and default" described
silent "no document sets an option that does not exist" unknown
finish
