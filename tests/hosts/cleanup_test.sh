#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Jobs on hosts, and tests of them, that are interrupted or killed: no process, no namespace with its
# devices, no mount and no file is left, also of processes that want to live on.

. "$(dirname "$0")/lib.sh"

missing=$(missing_for_hosts)
if [ -n "$missing" ]; then
	echo "1..0 # SKIP $missing"
	exit 4
fi

# Runs on h0: processes on both hosts that no signal ends but SIGKILL, and that no session or group holds.
cat > "$scratch/stubborn" <<'EOF'
trap '' HUP INT TERM
for host in h0 h1; do
	nsenter --net=/run/netns/$host readlink /proc/self/ns/net
	setsid nsenter --net=/run/netns/$host sleep "1000.$2" > /dev/null 2>&1 &
done > "$1/spaces"
readlink /proc/self/ns/mnt >> "$1/spaces"
echo > "/dev/shm/left.$2"
echo > "$1/ready"
sleep "1000.$2"
EOF

# Runs on h0: a job of two ranks on each host.
cat > "$scratch/ranks" <<'EOF'
readlink /proc/self/ns/net /proc/self/ns/mnt > "$1/spaces"
mpirun --oversubscribe --bind-to none --host h0:2,h1:2 "$3" -n 60 -r 1000000 --each |
	while read -r line; do
		[ "${line#run}" = "$line" ] || [ -e "$1/ready" ] || echo > "$1/ready"
	done
EOF

# A test as there are others.
cat > "$scratch/test" <<'EOF'
. tests/hosts/lib.sh
echo "$scratch" > "$1/scratch"
limited 100 tests/hosts/hosts -n 2 sh "$1/stubborn" "$1" "$2"
EOF

# Processes of the job by their arguments or namespaces, mounts of these, and files; false if there are none.
remains()
{
	list "$1" | grep .
}

# stubborn TOKEN: such processes
stubborn()
{
	grep -lz "^1000[.]$1\$" /proc/[0-9]*/cmdline 2> /dev/null | cut -d / -f 3
}

list()
{
	stubborn "$1" | sed 's/^/process /'
	if [ -s "$scratch/spaces" ]; then
		find /proc/[0-9]*/ns -printf '%p is %l\n' 2> /dev/null | grep -F -f "$scratch/spaces"
		grep -F -f "$scratch/spaces" /proc/[0-9]*/mountinfo 2> /dev/null
	fi
	find /dev/shm /tmp -maxdepth 1 -newer "$scratch/start" \
		\( -name "left.$1" -o -name 'vader_segment.h[01].*' -o -name 'ompi.h[01].*' \)
	[ ! -s "$scratch/scratch" ] || ls -d "$(cat "$scratch/scratch")" 2> /dev/null
	seen | diff "$scratch/before" -
}

# ends_all SENTENCE SIGNAL COMMAND...: the process that COMMAND is gets the signal, when the job is up
ends_all()
{
	local sentence=$1 signal=$2 token=$$$RANDOM$RANDOM pid end space held status=1

	shift 2
	rm -f "$scratch/ready" "$scratch/spaces" "$scratch/scratch"
	touch "$scratch/start"
	seen > "$scratch/before"
	env --default-signal=HUP,INT,QUIT,TERM "$@" "$scratch" "$token" \
		"$TEST_BUILD/libexec/equant/redistribute" > "$scratch/job" 2>&1 < /dev/null &
	pid=$!
	until [ -e "$scratch/ready" ] || ! kill -0 $pid 2> /dev/null; do
		sleep 0.05
	done
	remains "$token" > "$scratch/remains"
	# As long as somebody has it open, its number is not that of another one.
	space=$(sed -n 's/ is mnt:.*//p' "$scratch/remains" | head -n 1)
	exec {held}< "${space:-/dev/null}"
	if [ -s "$scratch/remains" ] && kill -s "$signal" $pid; then
		status=0 end=$((SECONDS + 15))
		# Processes die one after the other.
		while remains "$token" > "$scratch/remains" && [ $SECONDS -lt $end ]; do
			sleep 0.05
		done
		[ ! -s "$scratch/remains" ] || status=1
	fi
	kill -KILL $pid 2> /dev/null
	stubborn "$token" | xargs -r kill -KILL
	wait $pid 2> /dev/null
	exec {held}<&-
	[ $status -eq 0 ] || sed 's/^/# /' "$scratch/job" "$scratch/remains"
	report $status "$sentence"
}

hosts=(tests/hosts/hosts -n 2 sh)
plan 6
for signal in TERM KILL; do
	ends_all "nothing is left of hosts that get SIG$signal" $signal "${hosts[@]}" "$scratch/stubborn"
done
ends_all "nothing is left of ranks on hosts that get SIGKILL" KILL "${hosts[@]}" "$scratch/ranks"
for signal in INT TERM; do
	ends_all "nothing is left of a test that gets SIG$signal" $signal bash "$scratch/test"
done
rm -f "$scratch/scratch"
sed -i '/^echo/d' "$scratch/test"
ends_all "nothing is left of the hosts of a test that gets SIGKILL" KILL bash "$scratch/test"
finish
