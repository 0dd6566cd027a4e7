#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# A guest's test fails when something in the guest did, whatever it was.

. "$(dirname "$0")/../tree/lib.sh"

# The build, with a room of tests that do what they are told.
mkdir -p "$scratch/tests/fake" "$TEST_BUILD/kernels"
for name in kernels bin tests/vm tests/contain; do
	ln -s "$TEST_BUILD/$name" "$scratch/$name"
done

# told NAME SCRIPT
told()
{
	printf '#!/bin/sh\necho 1..1\n%s\n' "$2" > "$scratch/tests/fake/$1"
	chmod +x "$scratch/tests/fake/$1"
}
told good 'echo ok 1 it'
told bad 'echo not ok 1 it; exit 1'
told complains 'echo "<4>WARNING: made up" > /dev/kmsg; echo ok 1 it'
told crashes 'echo c > /proc/sysrq-trigger; sleep 60'
told hangs 'exec sleep 1000'

# guest SECONDS NAME...
guest()
{
	local limit=$1

	shift
	TEST_BUILD=$scratch GUEST_BARE=1 GUEST_SECONDS=$limit tests/vm/guest.sh 6.1 "$@" > "$scratch/log" 2>&1
	status=$?
}

# says PATTERN SENTENCE
says()
{
	local found

	grep -q -- "$1" "$scratch/log"
	found=$?
	[ $found -eq 0 ] || sed 's/^/# /' "$scratch/log"
	report $found "$2"
}

guest 300 fake/good fake/bad fake/complains
if [ $status -eq 4 ]; then
	cat "$scratch/log"
	exit 4
fi
plan 10
says '^ok [0-9]* fake/good: it' "a result that is good in the guest is good"
says '^not ok [0-9]* fake/bad: it' "one that is bad is bad"
says '^not ok .* holds no complaint' "a warning of the kernel is bad"
says '^ok .* ends by itself' "a guest with bad results ends by itself"
[ $status -eq 1 ]
report $? "the exit status says so"
guest 300 fake/crashes
says '^not ok .* fake/crashes: .*not come to its end' "a test in which the kernel crashes is bad"
says '^not ok .* ends by itself' "... and the guest has not ended by itself"
guest 15 fake/hangs
says '^not ok .* fake/hangs: .*not come to its end' "a test that is not done in time is bad"
says 'exit status 124' "... and the reason is told"
mkdir "$scratch/path"
printf '#!/bin/sh\nexit 1\n' > "$scratch/path/qemu-system-x86_64"
chmod +x "$scratch/path/qemu-system-x86_64"
TEST_BUILD=$scratch PATH=$scratch/path:$PATH \
	tests/vm/boot.sh -t 15 "$scratch/kernels/6.1" true > "$scratch/log" 2>&1
[ $? -eq 126 ]
report $? "an emulator that does not begin is no command that succeeded"
finish
