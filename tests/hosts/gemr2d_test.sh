#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What replaces ScaLAPACK's redistribution, between hosts: two processes on each, which read each other's memory,
# and messages between the hosts.

. "$(dirname "$0")/lib.sh"

missing=$(missing_for_hosts)
if [ -z "$missing" ] && [ "$(config HAVE_SCALAPACK)" != 1 ]; then
	missing="no ScaLAPACK here"
fi
if [ -n "$missing" ]; then
	echo "1..0 # SKIP $missing"
	exit 4
fi

# same OPTION...: all parts of all types are ScaLAPACK's
same()
{
	limited 35 tests/hosts/hosts -n 2 mpirun --oversubscribe --bind-to none --host h0:2,h1:2 -np 4 \
		-x LD_LIBRARY_PATH="$TEST_BUILD" "$@" "$TEST_BUILD/tests/gemr2d/compare_worker" \
		"$TEST_BUILD/libequant_gemr2d.so.0" > "$scratch/output" 2>&1 &&
		[ "$(grep -c '^passed' "$scratch/output")" -eq 4 ] && return
	cat "$scratch/output"
	return 1
}

cat > "$scratch/two.net" <<- EOF
	ranks 4
	usual startup 1e-4 bandwidth 1e8
	link 0 2 bandwidth 1e7
	host send 1.2e8 receive 1e8 ranks 0 1
	host send 1e8 receive 1e8 ranks 2 3
EOF

plan 3
succeeds "random parts of matrices on two hosts are ScaLAPACK's" same
succeeds "... with a file of what is between them" same -x EQUANT_GEMR2D_NETWORK="$scratch/two.net"
succeeds "... and by way of others" same -x EQUANT_GEMR2D_NETWORK="$scratch/two.net" \
	-x EQUANT_GEMR2D_ROUTER=relay
finish
