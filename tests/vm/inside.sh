#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# In the guest: run tests as the runner does it everywhere: inside.sh ROOM/NAME...

set -u
cd "$(dirname "$0")/../.." || exit 1

"$TEST_BUILD/tests/vm/hold_worker" > /run/held &
for _ in $(seq 100); do
	[ ! -s /run/held ] || break
	sleep 0.1
done
[ -s /run/held ] || exit 1
module=$TEST_BUILD/modules/$(uname -r)/kmod/equant.ko
[ ! -e "$module" ] || insmod "$module" || exit 1

# The limits are those of a real machine; boot.sh has one for the whole.
[[ $GUEST_KERNEL == *-debug ]] && slower=16 || slower=4
tests/run.sh -v -f $slower -o "$TEST_BUILD" "$@"
