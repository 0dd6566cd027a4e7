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

programs=$TEST_BUILD/libexec/equant

# on_hosts NETWORK WORDS...: a rank on each host, or as $ranks says; output in $scratch/output
on_hosts()
{
	local network=$1

	shift
	ranks=${ranks-} limited 30 tests/hosts/hosts -f tests/hosts/"$network" sh -c \
		'mpirun --oversubscribe --bind-to none --host "${ranks:-$HOSTS}" "$@"' sh "$@" \
		> "$scratch/output" 2>&1 < /dev/null
}

# known FILE: "from-to BANDWIDTH" of each link, and "send-RANKS BANDWIDTH" and "receive-..." of ports
known()
{
	awk '{ for (i = 2; i < NF; i++) if ($i == "bandwidth") b = $(i + 1) }
		$1 == "ranks" { ranks = $2 }
		$1 == "usual" { for (i = 0; i < ranks; i++) for (j = 0; j < ranks; j++)
			if (i != j) links[i "-" j] = b }
		$1 == "link" { links[$2 "-" $3] = b }
		$1 == "host" { who = $0; sub(/.* ranks /, "", who); gsub(/ /, "+", who)
			for (i = 2; $i != "ranks"; i += 2) print $i "-" who, $(i + 1) }
		END { for (link in links) print link, links[link] }' "$1" | sort
}

# is_near FILE: what was measured is all of that, within 15 %, and no port that is not there; but the
# answers to what a host receives wait in its port for what it sends, which is felt like a port
is_near()
{
	join -a 1 -a 2 -e 0 -o 0,1.2,2.2 <(known "$1") <(known "$scratch/measured") > "$scratch/both"
	awk '{ print }
		$2 { is[$1] = 1; far = far || $3 < 0.85 * $2 || $3 > 1.15 * $2 }
		!$2 { invented[$1] = 1 }
		END { for (port in invented) {
				other = port
				if (!sub(/^send/, "receive", other)) sub(/^receive/, "send", other)
				far = far || !(other in is)
			}
			exit far || !NR }' "$scratch/both"
}

# Something else may keep the CPUs busy, once or twice.
finds()
{
	for _ in 1 2 3; do
		on_hosts "$1" "$programs/network" -s 4 -o "$scratch/measured" &&
			is_near tests/hosts/"$1" && return
	done
}

# Two ranks of the host that has a port to send through; it is both ranks'.
finds_a_port_of_two()
{
	for _ in 1 2 3; do
		ranks=h0:2,h1,h2 on_hosts ports.net "$programs/network" -s 4 -o "$scratch/measured" &&
			known "$scratch/measured" | awk '{ print } $1 == "send-0+1" &&
				$2 > 0.85 * 5e6 && $2 < 1.15 * 5e6 { found = 1 }
				END { exit !found }' && return
	done
}

plan 5
succeeds "links and a port are measured to be what the hosts were made with" finds four.net
cp "$scratch/measured" "$scratch/four"
succeeds "... and a port that receives" finds ports.net
succeeds "... and one of two ranks" finds_a_port_of_two
succeeds "a matrix is transposed by what was measured" \
	on_hosts four.net "$programs/redistribute" -n 500 --network "$scratch/four"
succeeds "... and by way of other hosts" on_hosts four.net "$programs/redistribute" -n 1500 \
	--network "$scratch/four" --router relay --window network
exit $result
