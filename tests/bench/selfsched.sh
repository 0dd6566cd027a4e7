#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Table III of Chronopoulos, Ni, Penmatsa by simulation: Mandelbrot 4000 x 4000, four workers twice as
# fast as four others, three orders of asking, three limits of iteration.  The order of the
# schemes is judged; the ratios stand beside those of the paper.

. "$(dirname "$0")/lib.sh"

: > "$out/$item.figures"
for limit in 100 1000 10000; do
	for order in fast slow mixed; do
		if ! "$equant" simulate selfsched --size 4000 --maxiter $limit --order $order \
			> "$out/$item/$order-$limit.txt" 2> "$out/$item/log"; then
			cat "$out/$item/log" >&2
			exit 1
		fi
		awk -v name="${order}_$limit" '$1 == 8 {
			printf "1\t%s\ttss=%s\ttss2=%s\tdtss=%s\tdtss2=%s\ttrees=%s\n",
				name, $2, $3, $4, $5, $6 }' "$out/$item/$order-$limit.txt" >> "$raw"
	done
done

for limit in 100 1000 10000; do
	for order in fast slow mixed; do
		t=${order}_$limit
		what="$order first, maxiter $limit"
		judge "$what: dtss-2d / tss-2d" "$t.dtss2/$t.tss2" '<=' 1
		judge "$what: tss-2d / dtss" "$t.tss2/$t.dtss" '<=' 1
		judge "$what: trees / tss (paper 0.79)" "$t.trees/$t.tss" '<=' 1
		judge "$what: dtss / tss (paper 0.77)" "$t.dtss/$t.tss" '<=' 1
		judge "$what: tss-2d / tss (paper 0.52)" "$t.tss2/$t.tss"
		judge "$what: dtss-2d / tss (paper 0.41)" "$t.dtss2/$t.tss"
	done
done
