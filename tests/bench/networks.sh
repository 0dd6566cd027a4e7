#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Redistributions of 10^7 doubles over four hosts, cyclic(1000) to cyclic(1000 K), against MPI's collectives
# and ScaLAPACK's: links that are unequal and independent; ports that have less than their links together; and
# two hosts behind a thin uplink.  First what is measured of the first network, beside what it is; last what
# becomes of transfers when a link drops to a tenth on which their order, or their way, depends.

. "$(dirname "$0")/lib.sh"

hosts=$bench/../hosts/hosts hosts_link=$bench/../hosts/link
: > "$out/$item.figures"
if [ "$(id -u)" -ne 0 ] || ! why=$("$hosts" -f "$bench/../hosts/four.net" true 2>&1); then
	echo "$item: left out: ${why:-several hosts on one machine need root}" |
		tee "$out/$item.figures"
	exit 0
fi
if [ ! -x "$TEST_BUILD/tests/bench/redistribute" ]; then
	echo "$item: left out: ScaLAPACK is missing" | tee "$out/$item.figures"
	exit 0
fi

cat > "$out/$item/links.net" <<'EOF'
ranks 4
usual bandwidth 100e6
link 0 1 bandwidth 200e6
link 0 3 bandwidth 10e6
link 1 0 bandwidth 150e6
link 1 2 bandwidth 50e6
link 1 3 bandwidth 20e6
link 2 1 bandwidth 40e6
link 2 3 bandwidth 80e6
link 3 0 bandwidth 10e6
link 3 1 bandwidth 30e6
link 3 2 bandwidth 120e6
EOF
cat > "$out/$item/ports.net" <<'EOF'
ranks 4
usual bandwidth 100e6
host send 150e6 receive 120e6 ranks 0
host send 100e6 receive 200e6 ranks 1
host send 200e6 receive 100e6 ranks 2
host send 120e6 receive 150e6 ranks 3
EOF
cat > "$out/$item/uplink.net" <<'EOF'
ranks 4
usual bandwidth 150e6
host send 50e6 receive 50e6 ranks 2 3
EOF

# on_hosts NETWORK WORDS...: a rank on each
on_hosts()
{
	# shellcheck disable=SC2016
	"$hosts" -f "$out/$item/$1.net" sh -c \
		'mpirun --oversubscribe --bind-to none --host "$HOSTS" "$@"' sh "${@:2}" \
		2> "$out/$item/log" && return
	cat "$out/$item/log" >&2
	exit 1
}

# figures EDIT NETWORK WORDS...: what they print becomes raw figures, each line edited
figures()
{
	on_hosts "${@:2}" > "$out/$item/lines"
	sed "$1" "$out/$item/lines" >> "$raw"
}

# drop WAY FROM TO BANDWIDTH: a line of raw figures; see drop.c
drop()
{
	sed "s/^link $2 $3 .*/link $2 $3 bandwidth $4/" "$out/$item/links.net" > "$out/$item/dropped.net"
	figures "s/^/$round\tdrop_$1\t/" links "$TEST_BUILD/tests/bench/drop" "$out/$item/links.net" \
		"$out/$item/dropped.net" "'$hosts_link' $2 $3 $4" "$1"
}

# bandwidths FILE: "from-to BANDWIDTH" of each link
bandwidths()
{
	awk '{ for (i = 2; i < NF; i++) if ($i == "bandwidth") b = $(i + 1) }
		$1 == "usual" { for (i = 0; i < 4; i++) for (j = 0; j < 4; j++)
			if (i != j) links[i "-" j] = b }
		$1 == "link" { links[$2 "-" $3] = b }
		END { for (link in links) print link, links[link] }' "$1" | sort
}

# What the thin uplink leaves is not the links'.
for round in $(seq "$rounds"); do
	on_hosts links "$programs/network" -s 5 -o "$out/$item/measured.net"
	join <(bandwidths "$out/$item/links.net") <(bandwidths "$out/$item/measured.net") |
		awk -v round="$round" '{ off = $3 / $2 > 1 ? $3 / $2 : $2 / $3 }
			off > worst { worst = off }
			END { printf "%d\tmeasured\tworst=%.4f\n", round, worst }' >> "$raw"
	for network in links ports uplink; do
		for k in 2 3 4 8; do
			figures "s/^1/$round/" $network "$TEST_BUILD/tests/bench/redistribute" \
				"$out/$item/$network.net" $k ${network}_$k 1
		done
	done
	# Afterwards the bound is that of rank 0, which the order planned before makes wait; and a link
	# that much was relayed over decides.
	drop order 1 0 15e6
	drop relay 2 3 8e6
done

judge "the link measured worst, over or under" measured.worst '<=' 1.05
for k in 2 3 4 8; do
	t=links_$k
	judge "links, K=$k: equant / bound" "$t.equant/$t.bound" '<=' 1.03
	judge "links, K=$k: Alltoallv / equant" "$t.alltoallv/$t.equant" '>=' 1
	judge "links, K=$k: Alltoallw / equant" "$t.alltoallw/$t.equant"
	judge "links, K=$k: pdgemr2d / equant" "$t.pdgemr2d/$t.equant"
	judge "links, K=$k: pdgemr2d / what replaces it" "$t.pdgemr2d/$t.gemr2d"
	judge "... without the network's file" "$t.pdgemr2d/$t.unknown"
	judge "... with relays / bound without, as planned" "$t.route/$t.bound"
	judge "... as it is" "$t.relayed/$t.bound" '<=' 1
	judge "... Alltoallv / with relays" "$t.alltoallv/$t.relayed" '>=' 1.15
	judge "... Alltoallw / with relays" "$t.alltoallw/$t.relayed" '>=' 1.15
done
for network in ports uplink; do
	for k in 2 3 4 8; do
		t=${network}_$k
		judge "$network, K=$k: equant / bound" "$t.equant/$t.bound" '<=' 1.05
		judge "$network, K=$k: Alltoallv / equant" "$t.alltoallv/$t.equant" '>=' 1.15
		judge "$network, K=$k: Alltoallw / equant" "$t.alltoallw/$t.equant" '>=' 1.15
		judge "$network, K=$k: pdgemr2d / equant" "$t.pdgemr2d/$t.equant" '>=' 1.15
		judge "$network, K=$k: pdgemr2d / what replaces it" "$t.pdgemr2d/$t.gemr2d"
		judge "... without the network's file" "$t.pdgemr2d/$t.unknown"
	done
done
for way in order relay; do
	judge "a link drops, $way: before / bound" drop_$way.before
	for i in 1 2 3 4; do
		goal=()
		[ $i -lt 3 ] || goal=('<=' 1.1)
		judge "... run $i after that / new bound" drop_$way.after$i "${goal[@]}"
		judge "... if the plan is kept" drop_$way.kept$i
	done
done
