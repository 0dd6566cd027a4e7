#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What reading each probe and recording an event costs.

. "$(dirname "$0")/lib.sh"

taskset -c "$cpu_b" "$TEST_BUILD/tests/bench/probe_cost" "$out/$item" | tee "$out/$item.figures"
exit "${PIPESTATUS[0]}"
