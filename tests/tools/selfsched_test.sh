#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# equant simulate selfsched: the order of the schemes of table III, which `make bench`
# repeats in the paper's size, and what is refused.

. "$(dirname "$0")/lib.sh"

plan 19

export LC_ALL=C

simulate()
{
	"$equant" simulate selfsched "$@"
}

# refuses PATTERN SENTENCE ARGUMENT...
refuses()
{
	local pattern=$1 sentence=$2

	shift 2
	exits 2 "$pattern" "$sentence" simulate "$@"
}

# The columns are tss, tss-2d, dtss, dtss-2d, trees.
ordered()
{
	simulate --size 1000 --order "$1" --message 0 --service 0 | awk '
		$1 == 8 && $5 <= $3 && $3 < $4 && $4 < $2 && $6 < $2 { found = 1 }
		{ text = text "\n" $0 }
		END { if (!found) print text }'
}

for order in fast slow mixed; do
	silent "dtss-2d <= tss-2d < dtss < tss and trees < tss, $order workers first" \
		ordered $order
done

# Of each scheme the powers times T_comp, summed up: the same work for all.
conserved()
{
	simulate --size 300 --print workers | awk '
		$1 >= 1 && $1 <= 8 { for (i = 2; i <= 10; i += 2) sum[i] += $i * ($1 <= 4 ? 2 : 1); n++ }
		END {
			if (n != 8) print n, "workers"
			for (i in sum) if (sum[i] < sum[2] * 0.999 || sum[i] > sum[2] * 1.001)
				print "column", i, sum[i], "instead of", sum[2]
		}'
}
silent "the workers of every scheme compute the same work" conserved

# Equal work in a loop of uniform costs: half of the workers twice as fast.
uniform()
{
	simulate --size 240 --workload uniform --step 1 --message 0 --service 0 --schemes one \
		--json | perl -MJSON::PP -0777 -ne '
		my $row = decode_json($_)->{points}[0];
		print "fs $row->{fs}\n" if $row->{fs} != 240 * 240 / 8;
		for (qw(ss trees)) {
			print "$_ $row->{$_}\n" if $row->{$_} > 1.02 * 240 * 240 / 12;
		}'
}
if perl -MJSON::PP -e 1 2> /dev/null; then
	silent "fs waits for slow workers, ss and trees do not" uniform
else
	skip "fs waits for slow workers, ss and trees do not" "no JSON::PP"
fi

every_workload()
{
	local kind

	for kind in mandelbrot uniform increasing decreasing conditional; do
		for schemes in one two; do
			simulate --size 60 --workload $kind --schemes $schemes > "$scratch/out" ||
				echo "$kind, $schemes"
			[ "$(awk 'END { print NF }' "$scratch/out")" = 15 ] || cat "$scratch/out"
		done
	done
}
silent "every workload is handed out by every scheme in one and two dimensions" every_workload

scales()
{
	simulate --size 500 --print speedup --workers 2:8:2 --message 0 --service 0 |
		awk '$1 ~ /^[2468]$/ { if ($6 <= last) print; last = $6; n++ }
			END { if (n != 4) print n, "rows" }'
}
silent "more workers are faster" scales

# lone ORDER: what is not 1 of the speed-ups of one worker
lone()
{
	simulate --size 50 --print speedup --workers 1 --message 0 --service 0 --order "$1" |
		awk '$1 == "1" { for (i = 2; i <= NF; i++) if ($i != 1) print; n++ } END { if (n != 1) print n, "rows" }'
}
for order in fast slow mixed; do
	silent "one worker is as fast as itself, $order first" lone $order
done
exits 0 '^ *size  ' "sizes can be swept" simulate --size 100:300:100

refuses "unexpected argument '--sizes'" "an unknown option is named" --sizes 3
refuses "expected" "a size of 0 is refused" --size 0
refuses "size '50.7': expected a whole number" "half a column is refused" --size 50.7
refuses "workers '2:3:0.5': expected a whole number" "and so is half a worker in a sweep" \
	--workers 2:3:0.5
refuses "only one of" "two sweeps are refused" --size 10:20:10 --workers 1:2:1
refuses "nothing can be swept" "workers of a sweep are refused" --print workers --workers 1:2:1
refuses "only with --schemes paper" "workers of all schemes are refused" \
	--print workers --schemes one
exits 1 'No space' "a full disk is an error" bash -c "$equant simulate selfsched --size 10 > /dev/full"
finish
