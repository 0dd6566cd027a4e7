#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# A link between two hosts has a tenth of its bandwidth from one moment to the next: the transfers find out.

. "$(dirname "$0")/lib.sh"

missing=$(missing_for_hosts)
cat > "$scratch/before" <<'EOF'
ranks 2
usual bandwidth 40e6
EOF
[ -n "$missing" ] || missing=$(tests/hosts/hosts -f "$scratch/before" true 2>&1)
if [ -n "$missing" ]; then
	echo "1..0 # SKIP $missing"
	exit 4
fi

# Runs on h0.  Either message is of 2 MB.
cat > "$scratch/job" <<'EOF'
mpirun --oversubscribe --bind-to none --host "$HOSTS" "$1" corner -n 1024 -r 6 --each --refresh \
	--network "$2/before" > "$2/runs" 2>&1 &
for _ in $(seq 200); do
	! grep -q '^run' "$2/runs" || break
	sleep 0.02
done
tests/hosts/link 0 1 4e6
wait $!
EOF

plan 4
succeeds "arrays are redistributed while a link becomes slow" \
	limited 50 tests/hosts/hosts -f "$scratch/before" bash "$scratch/job" \
	"$TEST_BUILD/libexec/equant/redistribute" "$scratch"
# The bound was 0.05 s and is 0.52 s; a run of which a part was fast lies between.
awk '/^links that have changed/ { sub(/.*bound=/, ""); bound = $0 }
	/ verified$/ { verified = 1 }
	END { exit !(verified && bound > 0.35 && bound < 0.8) }' "$scratch/runs"
status=$?
[ $status -eq 0 ] || sed 's/^/# /' "$scratch/runs"
report $status "the transfers learn what it has now, and lose nothing"
# They have disciplines and classes of their own.
leaves_nothing -f tests/hosts/four.net
exit $result
