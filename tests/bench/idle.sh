#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# A machine on which nothing but its kernel threads runs beside the ranks:
# no decision moves anything in a minute.

. "$(dirname "$0")/lib.sh"

size 0.1
job "$n" "$(for_seconds 60)"
measure 1 idle --trace "$out/$item" -- "${command[@]}"

judge "instructions in a minute, all ranks" idle.moves '<=' 0
judge "  balancing phases" idle.phases
judge "  CPU time that others took, of the machine" idle.others
judge "  share of rank 0" idle.share0
judge "  share of rank 1" idle.share1
