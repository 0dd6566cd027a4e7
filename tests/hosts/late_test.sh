#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Slices between two hosts, one of which comes too late: no message that has come meanwhile is taken for the
# other rank.

. "$(dirname "$0")/lib.sh"

missing=$(missing_for_hosts)
if [ -n "$missing" ]; then
	echo "1..0 # SKIP $missing"
	exit 4
fi

late=one_comes_too_late_to_a_slice
plan 5
passes "a short slice that one rank exchanges alone stays where it is" \
	2 mpi/faults_worker $late SLICE=exchanged
passes "... and a long one" 2 mpi/faults_worker $late SLICE=exchanged WIDE=1
passes "a long one that one rank copies alone is given to nobody" \
	2 mpi/faults_worker $late SLICE=copied WIDE=1
leaves_nothing -n 2
finish
