#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Schedules carried out by two ranks on each of two hosts: every task once and with its data, or an
# error everywhere.

. "$(dirname "$0")/lib.sh"

missing=$(missing_for_hosts)
if [ -n "$missing" ]; then
	echo "1..0 # SKIP $missing"
	exit 4
fi

plan 3
passes "every task runs once with its data, and so again in the order executed" \
	4 mpi/dag_run_worker families
passes "a task that fails stops all ranks with its error" 4 mpi/dag_fault_worker one_fails
fails "the job ends when a rank is killed" 4 mpi/dag_fault_worker one_is_killed
exit $result
