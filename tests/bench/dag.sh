#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Sung and Lai's figures 3 to 7: average lengths of schedules, as tables and charts.  They are
# computed, not measured: the same everywhere.

. "$(dirname "$0")/lib.sh"

# figure NAME OPTION...
figure()
{
	echo "figure $1: equant dag experiment ${*:2}"
	"$equant" dag experiment "${@:2}" --svg "$out/$item/$1.svg" > "$out/$item/$1.txt" || exit 1
	cat "$out/$item/$1.txt"
}

figure 3 --over pe
figure 4 --over ccr
for pe in 2 4 8 16 32; do
	figure 5-$pe --over beta --family gauss --alpha 10 --pe $pe
done
figure 6a --over beta --family fft --alpha 10 --pe 4
figure 6b --over beta --family lu --alpha 10 --pe 8
figure 6c --over beta --family fork --alpha 10 --pe 32
figure 6d --over beta --family join --alpha 10 --pe 16
figure 6e --over beta --family fork-join --alpha 10 --pe 32
for pe in 2 4 8 16 32; do
	figure 7-$pe --over alpha --beta 10 --pe $pe
done
