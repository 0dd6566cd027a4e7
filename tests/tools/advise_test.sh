#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What `equant advise` says of nests, good and bad.  The nests and answers are those of
# Documentation/advise.rst.

. "$(dirname "$0")/lib.sh"

plan 19

export LC_ALL=C

answer_is()
{
	listing "$1.nest" advise.rst
	listing "$1.out" advise.rst
	"$equant" advise "$scratch/$1.nest" > "$scratch/actual" 2>&1
	diff "$scratch/$1.out" "$scratch/actual"
}

for name in mm sor lu; do
	silent "advice on $name is what the document says" answer_is $name
done

# What is printed is a description again, but for the hook.
again()
{
	"$equant" advise "$scratch/$1.nest" | sed -n '/^loop/,/^end/p' | grep -vw hook |
		sed '1i ranks 4' > "$scratch/again.nest"
	"$equant" advise "$scratch/again.nest" > "$scratch/twice" || echo "exit status $?"
	"$equant" advise "$scratch/$1.nest" | sed -n '/^loop/,/^end/p' > "$scratch/expected"
	sed -n '/^loop/,/^end/p' "$scratch/twice" | diff "$scratch/expected" -
}
silent "advice on mm is a nest on which the advice is the same" again mm
silent "advice on lu is a nest on which the advice is the same" again lu

json_is_valid()
{
	local name

	for name in mm sor lu; do
		"$equant" advise --json "$scratch/$name.nest" |
			perl -MJSON::PP -0777 -ne 'decode_json($_)' || echo "$name"
	done
}
if perl -MJSON::PP -e 1 2> /dev/null; then
	silent "JSON is JSON" json_is_valid
else
	skip "JSON is JSON" "perl has no JSON::PP"
fi
exits 0 '"reason": "grain",' "JSON has the reasons" "$equant" advise --json "$scratch/sor.nest"
exits 0 '"block": 50,' "JSON has the block size" "$equant" advise --json "$scratch/sor.nest"
exits 0 '"kind": "hook",' "JSON has the hook" "$equant" advise --json "$scratch/lu.nest"

sed 's/1000/2/' "$scratch/mm.nest" > "$scratch/small.nest"
exits 3 'too small' "a nest too small for a hook has an exit status of its own" \
	"$equant" advise "$scratch/small.nest"

sed 's/loop i 1000/loop i ?/' "$scratch/mm.nest" > "$scratch/unknown.nest"
exits 0 '^loop i ? parallel$' "a loop of unknown length stays one" \
	"$equant" advise "$scratch/unknown.nest"
exits 0 '"trips": null,' "a length that is not known is null in JSON" \
	"$equant" advise --json "$scratch/unknown.nest"

sed 's/^    end$//' "$scratch/mm.nest" > "$scratch/open.nest"
exits 1 "open.nest:3: 'i': the loop has no end" "a loop without an end is named" \
	"$equant" advise "$scratch/open.nest"
sed 's/ distributed//' "$scratch/mm.nest" > "$scratch/local.nest"
exits 1 'local.nest: no loop is distributed' "a nest without a distributed loop is refused" \
	"$equant" advise "$scratch/local.nest"
exits 1 'bin/equant:1: ' "a file of anything else is refused with its line" \
	"$equant" advise "$equant"
exits 1 '/nonexistent: No such file' "a missing file is named" "$equant" advise /nonexistent
exits 2 'expected one nest' "no nest is an error" "$equant" advise
exits 2 'expected one nest' "two nests are an error" "$equant" advise a b
exits 2 'unrecognized option' "an unknown option is refused" "$equant" advise --colour a

finish
