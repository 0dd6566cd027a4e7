#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# A host that is cut off while arrays change hands: the job ends, by what Open MPI is told to look for.

. "$(dirname "$0")/lib.sh"

missing=$(missing_for_hosts)
if [ -n "$missing" ]; then
	echo "1..0 # SKIP $missing"
	exit 4
fi

# Runs on h0.  Whether it began, what it ended with, and how many seconds after the cut.
cat > "$scratch/cut" <<'EOF'
mpirun --oversubscribe --bind-to none --host "$HOSTS" --mca oob_tcp_keepalive_time 1 \
	--mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 1 \
	"$1" -n 600 -r 1000000 --each > "$2/job" 2>&1 &
job=$!
for _ in $(seq 200); do
	! grep -q '^run' "$2/job" || break
	sleep 0.1
done
grep -q '^run' "$2/job" || echo "it never began"
tests/hosts/link 1 down
cut=$SECONDS
wait $job
echo "ended with $? after $((SECONDS - cut))" > "$2/end"
EOF

plan 2
limited 50 tests/hosts/hosts -n 2 bash "$scratch/cut" \
	"$TEST_BUILD/libexec/equant/redistribute" "$scratch" > "$scratch/output" 2>&1 < /dev/null
ended=$(cat "$scratch/end" 2>&1)
sed 's/^/# /' "$scratch/output"
echo "# $ended"
[ ! -s "$scratch/output" ] && [[ $ended =~ ^ended\ with\ [1-9] ]]
report $? "a job whose host is cut off ends with an error"
[[ $ended =~ after\ [0-9]$|after\ 1[0-9]$ ]]
report $? "and does so in time"
exit $result
