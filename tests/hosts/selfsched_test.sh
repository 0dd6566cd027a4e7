#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Self-scheduled loops of two ranks on each of two hosts: every iteration once, or an error everywhere.

. "$(dirname "$0")/lib.sh"

missing=$(missing_for_hosts)
if [ -n "$missing" ]; then
	echo "1..0 # SKIP $missing"
	exit 4
fi

worker=mpi/selfsched_worker
plan 25
for engine in two-level master tree; do
	scheme=awf-c
	[ $engine = tree ] && scheme=trees
	passes "$engine: every iteration is computed exactly once" \
		4 $worker every_iteration ENGINE=$engine
	passes "$engine: several threads of a rank may ask at once" \
		4 $worker every_iteration_by_threads ENGINE=$engine
	mkdir "$scratch/$engine"
	passes "$engine: a recorded assignment is repeated" \
		4 $worker recorded ENGINE=$engine FOLDER="$scratch/$engine"
	passes "$engine: a rank can cancel the loop for all" 4 $worker one_cancels ENGINE=$engine
	passes "$engine: a body that fails stops all ranks" 4 $worker one_body_fails ENGINE=$engine
	fails "$engine: the job ends when a rank is killed" \
		4 $worker one_is_killed ENGINE=$engine SCHEME=$scheme
done
# One node with more ranks than the other, and with one alone.
for ranks in 2 3 9; do
	passes "two-level: every iteration is computed exactly once by $ranks ranks" \
		$ranks $worker every_iteration ENGINE=two-level
done
passes "across nodes it is the engine of two levels that is chosen" 4 $worker two_levels
passes "the engine of one node is refused across nodes" 4 $worker no_common_memory ENGINE=node

leaves_nothing -n 2
exit $result
