#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Four hosts whose links and ports are known: what is measured of them, and a redistribution by that.

. "$(dirname "$0")/lib.sh"

missing=$(missing_for_hosts)
[ -n "$missing" ] || missing=$(tests/hosts/hosts -f tests/hosts/four.net true 2>&1)
if [ -n "$missing" ]; then
	echo "1..0 # SKIP $missing"
	exit 4
fi

network=tests/hosts/four.net
programs=$TEST_BUILD/libexec/equant

# on_hosts WORDS...: a rank on each; output in $scratch/output
on_hosts()
{
	timeout -k 2 30 tests/hosts/hosts -f $network sh -c \
		'mpirun --oversubscribe --bind-to none --host "$HOSTS" "$@"' sh "$@" \
		> "$scratch/output" 2>&1 < /dev/null
}

# known FILE: "from-to BANDWIDTH" of each link, and "rank SEND" of ports
known()
{
	awk '{ for (i = 2; i < NF; i++) if ($i == "bandwidth") b = $(i + 1) }
		$1 == "usual" { for (i = 0; i < 4; i++) for (j = 0; j < 4; j++)
			if (i != j) links[i "-" j] = b }
		$1 == "link" { links[$2 "-" $3] = b }
		$1 == "host" && $2 == "send" { print $NF, $3 }
		END { for (link in links) print link, links[link] }' "$1" | sort
}

# All of the network is in what was measured, within 15 %.
is_near()
{
	join <(known $network) <(known "$scratch/measured") > "$scratch/both"
	awk '{ print } $3 < 0.85 * $2 || $3 > 1.15 * $2 { far = 1 } END { exit far || NR != 13 }' \
		"$scratch/both"
}

# Something else may keep the CPUs busy, once or twice.
finds_the_network()
{
	for _ in 1 2 3; do
		on_hosts "$programs/network" -s 4 -o "$scratch/measured" && is_near && return
	done
}

plan 3
succeeds "links and a port are measured to be what the hosts were made with" finds_the_network
succeeds "a matrix is transposed by what was measured" \
	on_hosts "$programs/redistribute" -n 500 --network "$scratch/measured"
succeeds "... and by way of other hosts" on_hosts "$programs/redistribute" -n 1500 \
	--network "$scratch/measured" --router relay --window network
exit $result
