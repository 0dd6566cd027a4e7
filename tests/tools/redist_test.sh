#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What `equant redist` says of redistributions and networks, good and bad.  The example is that of
# Documentation/redist.rst: cyclic(2) to cyclic(6) on 4 ranks, 48 elements, R_2(3,4) of the paper.

. "$(dirname "$0")/lib.sh"

plan 75

export LC_ALL=C

listings()
{
	for name in uneven.network diagram.out bypass.network route.out; do
		listing $name redist.rst
	done
}
silent "the document holds the example" listings
cd "$scratch" || exit 1
r=(2:4 6:4 --elements 48 --element 1)
uneven=("${r[@]}" --network uneven.network)

example()
{
	"$equant" redist schedule "${uneven[@]}" --scheduler greedy > actual 2>&1
	diff diagram.out actual
}
silent "the example is what the document says" example

# golden SENTENCE OPTION...: the diagram is what stands on standard input
golden()
{
	cat > expected
	"$equant" redist schedule "${r[@]}" --bandwidth 4 "${@:2}" > actual 2>&1
	silent "$1" diff expected actual
}

golden "R_2(3,4) has three steps without contention" --self --scheduler direct << 'EOF'
4 ranks: 12 messages, 48 bytes; 0 bytes stay
no schedule is shorter than 3 s, no transfer at all than 1 s

direct: 3 s

        0                                                                      3
    0> |[2---------------------][0---------------------][1---------------------]
    1> |[3---------------------][1---------------------][0---------------------]
    2> |[0---------------------][3---------------------][2---------------------]
    3> |[1---------------------][2---------------------][3---------------------]
    >0 |[2---------------------][0---------------------][1---------------------]
    >1 |[3---------------------][1---------------------][0---------------------]
    >2 |[0---------------------][3---------------------][2---------------------]
    >3 |[1---------------------][2---------------------][3---------------------]

rank 0 sends: 2@0 0@1 1@2
rank 1 sends: 3@0 1@1 0@2
rank 2 sends: 0@0 3@1 2@2
rank 3 sends: 1@0 2@1 3@2
EOF

golden "greedy does as well where links are alike" --self --scheduler greedy << 'EOF'
4 ranks: 12 messages, 48 bytes; 0 bytes stay
no schedule is shorter than 3 s, no transfer at all than 1 s

greedy: 3 s

        0                                                                      3
    0> |[0---------------------][1---------------------][2---------------------]
    1> |[1---------------------][0---------------------][3---------------------]
    2> |[2---------------------][3---------------------][0---------------------]
    3> |[3---------------------][2---------------------][1---------------------]
    >0 |[0---------------------][1---------------------][2---------------------]
    >1 |[1---------------------][0---------------------][3---------------------]
    >2 |[2---------------------][3---------------------][0---------------------]
    >3 |[3---------------------][2---------------------][1---------------------]

rank 0 sends: 0@0 1@1 2@2
rank 1 sends: 1@0 0@1 3@2
rank 2 sends: 2@0 3@1 0@2
rank 3 sends: 3@0 2@1 1@2
EOF

golden "what ranks keep is no message" --scheduler greedy << 'EOF'
4 ranks: 8 messages, 32 bytes; 16 bytes stay
no schedule is shorter than 2 s, no transfer at all than 1 s

greedy: 2 s

        0                                                                      2
    0> |[1---------------------------------][2---------------------------------]
    1> |[0---------------------------------][3---------------------------------]
    2> |[3---------------------------------][0---------------------------------]
    3> |[2---------------------------------][1---------------------------------]
    >0 |[1---------------------------------][2---------------------------------]
    >1 |[0---------------------------------][3---------------------------------]
    >2 |[3---------------------------------][0---------------------------------]
    >3 |[2---------------------------------][1---------------------------------]

rank 0 sends: 1@0 2@1
rank 1 sends: 0@0 3@1
rank 2 sends: 3@0 0@1
rank 3 sends: 2@0 1@1
EOF

all_compared()
{
	"$equant" redist compare "${uneven[@]}" > compared || echo "no comparison"
	for name in caterpillar direct barrier greedy longest eager improved preemptive shortest best; do
		grep -q "^$name  *[5-7][.0-9]*  *1\." compared || echo "no $name"
	done
}
silent "all schedulers are compared" all_compared
exits 0 '^combine  *0.000400512 .* in 4 steps$' "many start-ups can be saved by combining" \
	"$equant" redist compare 1:16 8:16 --elements 2048 --element 1 --startup 1e-4 --bandwidth 1e9
exits 0 '^best  *0.000400512 .* in 4 steps$' "and the best router finds that" \
	"$equant" redist compare 1:16 8:16 --elements 2048 --element 1 --startup 1e-4 --bandwidth 1e9
printf 'ranks 4\nusual startup 1e-5 bandwidth 1e8\nlink 0 1 bandwidth 1e6\n' > thin.network
exits 0 '^relay  *0.02[0-9]* .* in 2 steps$' "a thin link can be relieved" \
	"$equant" redist compare 1:4 4:4 --elements 1000000 --network thin.network
exits 0 '"router": "relay"' "and that is there as JSON" \
	"$equant" redist compare 1:4 4:4 --elements 1000000 --network thin.network --json
exits 0 '^8 ranks: 12 messages, 48 bytes; 0 bytes stay$' "receivers may be other ranks" \
	"$equant" redist schedule "${r[@]}" --apart
exits 0 '^6 ranks: 30 messages, 7792 bytes; 2208 bytes stay$' "arrays may have several dimensions" \
	"$equant" redist schedule 4:2,3:3 5:3,1:2 --elements 25,50
exits 0 '^best: 3.2 s$' "start-ups take their time" \
	"$equant" redist schedule "${r[@]}" --bandwidth 4 --startup 0.6

# Whole messages, no two at once: from JSON alone.
whole()
{
	"$equant" redist schedule "${uneven[@]}" --scheduler "$1" --json > "$1.json"
	perl -MJSON::PP -0777 -ne '
		my $all = decode_json($_);
		my (%sent, %busy);
		for my $p (@{$all->{schedule}{pieces}}) {
			$sent{"$p->{from} $p->{to}"} += $p->{share};
			for ("send $p->{from}", "receive $p->{to}") {
				print "$_ twice at $p->{begin}\n" if $p->{begin} < ($busy{$_} // 0) - 1e-9;
				$busy{$_} = $p->{end};
			}
		}
		for my $m (@{$all->{messages}}) {
			my $share = delete $sent{"$m->{from} $m->{to}"} // 0;
			print "$m->{from} to $m->{to}: $share\n" if abs($share - 1) > 1e-9;
		}
		print "others are sent\n" if %sent;' "$1.json" 2>&1
}
if perl -MJSON::PP -e 1 2> /dev/null; then
	silent "JSON has every piece" whole longest
	silent "JSON has messages in pieces, too" whole preemptive
else
	skip "JSON has every piece" "no JSON::PP"
	skip "JSON has messages in pieces, too" "no JSON::PP"
fi

"$equant" redist schedule "${uneven[@]}" --svg diagram.svg > /dev/null
all_drawn()
{
	[ "$(grep -c 'class="message"' diagram.svg)" -eq 8 ] || echo "other than 8 messages sent"
	[ "$(grep -c 'class="task"' diagram.svg)" -eq 8 ] || echo "other than 8 messages received"
	tail -n 1 diagram.svg | grep -qx '</svg>' || echo "diagram.svg has no end"
}
silent "every message is in the picture, sent and received" all_drawn

# ---- simulations -----------------------------------------------------------------

exits 0 '^greedy: 5.2 s, 5.2 s in the simulation, where the bound is 5.2 s$' \
	"a schedule is carried out in its network" \
	"$equant" redist simulate "${uneven[@]}" --scheduler greedy
sed 's/link 0 1 bandwidth 2/link 0 1 bandwidth 0.5/' uneven.network > slower.network
exits 0 '^greedy: 5.2 s, 9.53333 s in the simulation' "or in another one" \
	"$equant" redist simulate "${uneven[@]}" --scheduler greedy --actual slower.network
exits 0 ' 4.1 s in the simulation, where the bound is 4.1 s$' "with several messages at once" \
	"$equant" redist simulate "${uneven[@]}" --scheduler greedy --window 2
exits 0 '^direct: 5.2 s, 6.2 s in the simulation' "and with a barrier after every step" \
	"$equant" redist simulate "${uneven[@]}" --scheduler direct --barrier

# ---- routes ------------------------------------------------------------------------

bypass=(1:1 60:2 --elements 120 --element 1 --network bypass.network)
route_example()
{
	"$equant" redist schedule "${bypass[@]}" --router relay > actual 2>&1
	diff route.out actual
}
silent "a route is drawn as the document has it" route_example
exits 0 '^relay: 12 s in 2 steps, 12 s in the simulation$' "a route is simulated in its network" \
	"$equant" redist simulate "${bypass[@]}" --router relay
sed 's/bandwidth 10/bandwidth 5/' bypass.network > half.network
exits 0 '^best: 12 s in 2 steps, 24 s in the simulation$' "or in another one" \
	"$equant" redist simulate "${bypass[@]}" --router best --actual half.network
exits 0 '^    >1 |  *\[2' "and what it takes there is drawn" \
	"$equant" redist simulate "${bypass[@]}" --router best --actual half.network --window 2 --barrier
# Out of ports of 10 bytes/s with two links of 10 each: 4 messages of 12 bytes take 4.8 s at least.
printf 'ranks 4\nusual startup 0 bandwidth 10\nhost send 10 ranks 0 1\nhost ranks 2 3\n' > port.network
exits 0 '^direct .* s with shared ports$' "comparing says what ports make of schedules" \
	"$equant" redist compare 12:2 6:2 --apart --elements 48 --element 1 --network port.network
exits 0 '^best: 4.8 s in 1 steps, 4.8 s in the simulation$' "and of routes" \
	"$equant" redist simulate 12:2 6:2 --apart --elements 48 --element 1 --network port.network \
	--router best
route_drawn()
{
	"$equant" redist schedule 1:16 8:16 --elements 2048 --element 1 --startup 1e-4 \
		--router combine --svg route.svg > route.txt
	grep -q '^combine: .* in 4 steps$' route.txt || echo "other than 4 steps"
	[ "$(grep -c 'class="message"' route.svg)" -eq "$(grep -o '[0-9]@' route.txt | wc -l)" ] ||
		echo "other than all legs sent"
	tail -n 1 route.svg | grep -qx '</svg>' || echo "route.svg has no end"
}
silent "every leg is in the picture" route_drawn
exits 0 '"step": 1,' "and in JSON" "$equant" redist simulate "${bypass[@]}" --router best --json
printf 'ranks 3\nusual startup 0 bandwidth 10\nlink 0 1 bandwidth 1\n' > thin.network
exits 0 '18015498021158915 bytes' "a message that no double holds goes by way of others" \
	"$equant" redist schedule 1:1 1099511627779:2 --elements 2199023255558 --element 16385 \
	--network thin.network --router relay
exits 2 "router 'detour': there are combine" "a router nobody knows is named" \
	"$equant" redist schedule "${bypass[@]}" --router detour
exits 2 'either --scheduler or --router' "one of both plans" \
	"$equant" redist schedule "${bypass[@]}" --router best --scheduler greedy

# ---- the paper's experiment --------------------------------------------------------

small=(--ranks 6 --seeds 3 --elements 100000000)
"$equant" redist experiment "${small[@]}" --svg k.svg > k.txt
exits 0 '^ *5  .*  1\.0000  ' "the paper's experiment can be repeated" cat k.txt
scaled()
{
	"$equant" redist experiment "${small[@]}" --scaled > scaled.txt
	diff <(sed 1d k.txt) <(sed 1d scaled.txt)
	grep -q 'sizes scaled' scaled.txt || echo "nothing is scaled"
}
silent "scaled sizes stand for unequal links" scaled
exits 0 '^ *1900  ' "the spread of bandwidths can be varied" \
	"$equant" redist experiment --over spread --k 3 "${small[@]}"
exits 0 '^K = [0-9]*, seed [0-9]*: greedy takes 1\.' "instances far from the bound are named" \
	"$equant" redist experiment --ranks 16 --worse 1.1
exits 0 'messages to oneself counted' "what stays can be counted" \
	"$equant" redist experiment "${small[@]}" --self
exits 0 '"worst_mean_greedy": 1' "its table is there as JSON" \
	"$equant" redist experiment "${small[@]}" --json
worse_in_json()
{
	"$equant" redist experiment "${small[@]}" --worse 0.9 --json 2> named | perl -MJSON::PP -0777 -ne 'decode_json($_)' &&
		grep -q '^K = [0-9]*, seed 1: greedy' named
}
if perl -MJSON::PP -e 1 2> /dev/null; then
	succeeds "... beside which instances are named" worse_in_json
else
	skip "... beside which instances are named" "no JSON::PP"
fi
exits 1 'bandwidths from 1e+07 to 1e+301 bytes/s' "why there can be no instance is told" \
	"$equant" redist experiment --ranks 4 --fastest 1e301
exits 0 '^ *1900  ' "the slowest links may be fast where others are so much faster" \
	"$equant" redist experiment --over spread --k 3 "${small[@]}" --slowest 3e8
exits 2 'step changes nothing over spread' "options that would change nothing are refused" \
	"$equant" redist experiment --over spread --step 5
# "OVER --OPTION" for each option that help says is of something else, or that is refused for it
not_of()
{
	awk '/^over/ { head = $0 " " }
		$1 ~ /^--/ && head && !index(head, " " over " ") { print over, $1 }' over="$1" section
}
refused()
{
	while read -r option value; do
		"$equant" redist experiment --over "$1" --elements 1 "$option" ${value:+2} 2>&1 < /dev/null |
			sed -n "s/.* \(--[a-z]*\) changes nothing over \($1\)$/\2 \1/p"
	done < options
}
misplaced()
{
	local over

	"$equant" help redist | sed -n '/^experiment /,$p' > section
	sed -n '/--over/d; s/^  \(--[a-z]*\( [A-Z]*\)\{0,1\}\).*/\1/p' section > options
	[ "$(wc -l < options)" -eq 13 ] || echo "help lists other options"
	for over in k spread planning; do
		diff <(not_of $over) <(refused $over)
	done
}
silent "help says over what an experiment takes which option" misplaced
exits 1 'an instance without messages: more --elements' "what sends nothing has no row" \
	"$equant" redist experiment --ranks 4 --seeds 1 --elements 1
exits 1 'without messages: .* or more --ranks' "nor have two ranks" \
	"$equant" redist experiment --ranks 2 --seeds 1
exits 0 '^ *16  *15  *240 .* [1-9][0-9]*$' "planning is timed" \
	"$equant" redist experiment --over planning --ranks 16
exits 2 'needs --ranks 16 or more' "... from 16 ranks on" \
	"$equant" redist experiment --over planning --ranks 8

# ---- bad input -----------------------------------------------------------------

echo 'ranks 4' > nothing.network
printf 'ranks 4\nusual bandwidth 1\nlink 0 4\n' > rank.network
exits 2 "'2': expected BLOCK:PROCESSES" "a distribution has two numbers" \
	"$equant" redist schedule 2 6:4 --elements 48
exits 2 "'2:4x': expected BLOCK:PROCESSES" "and nothing behind them" \
	"$equant" redist schedule 2:4x 6:4 --elements 48
exits 2 'sender: blocks of 0 elements' "blocks without elements are refused" \
	"$equant" redist schedule 0:4 6:4 --elements 48
exits 2 'the first block is on process 9 of 4' "and a first process that does not exist" \
	"$equant" redist schedule 2:4:9 6:4 --elements 48
exits 2 "elements 'x': expected whole numbers" "elements are counted" \
	"$equant" redist schedule 2:4 6:4 --elements x
exits 1 '2^63 bytes and more' "and their bytes can be counted" \
	"$equant" redist schedule 9:1,9:1 9:1,9:1 --elements 4194304,1073741824 --element 2048
exits 2 'elements is needed' "and have to be given" "$equant" redist schedule 2:4 6:4
exits 2 'need a number each' "each dimension has its distributions" \
	"$equant" redist schedule 2:4 6:4 --elements 4,4
exits 2 'expected two distributions' "there are two" "$equant" redist schedule 2:4 --elements 4
exits 1 'uneven.network: 4 ranks, 8 are needed' "a network may be too small" \
	"$equant" redist schedule 2:4 6:8 --elements 48 --network uneven.network
exits 1 'nothing.network: ranks or usual is missing' "a network has to say something" \
	"$equant" redist schedule "${r[@]}" --network nothing.network
exits 1 "rank.network:3: '4': more than 3" "a fault is named with file, line and word" \
	"$equant" redist schedule "${r[@]}" --network rank.network
exits 1 'nowhere: No such file' "a file that is not there is named" \
	"$equant" redist schedule "${r[@]}" --network nowhere
exits 2 "bandwidth '0': expected a number above 0" "no bandwidth is refused" \
	"$equant" redist schedule "${r[@]}" --bandwidth 0
exits 2 "bandwidth '-1': expected a number above 0" "and so is a negative one" \
	"$equant" redist schedule "${r[@]}" --bandwidth -1
exits 2 "startup '-1': expected a number of at least 0" "and so is a negative start-up" \
	"$equant" redist schedule "${r[@]}" --startup -1
exits 2 "bandwidth 'nan': expected a number" "and one that is no number" \
	"$equant" redist schedule "${r[@]}" --bandwidth nan
exits 2 'either --network or --startup and --bandwidth' "what a network says is not said again" \
	"$equant" redist schedule "${r[@]}" --network uneven.network --bandwidth 5
exits 2 'are of simulate only' "... also if it is what it would be" \
	"$equant" redist compare "${r[@]}" --window 1
exits 2 'either --self or --apart' "other ranks have nothing for themselves" \
	"$equant" redist compare "${r[@]}" --self --apart
exits 2 "scheduler 'first': there are caterpillar" "a scheduler nobody knows is named" \
	"$equant" redist schedule "${r[@]}" --scheduler first
exits 2 'are of simulate only' "only simulations have a window" \
	"$equant" redist schedule "${r[@]}" --window 2
exits 1 '^equant redist: simulated.network: a schedule of 4 ranks in a network of 3' \
	"another network has as many ranks" \
	sh -c "printf 'ranks 3\nusual bandwidth 1\n' > simulated.network
		'$equant' redist simulate ${r[*]} --actual simulated.network"
exits 1 'nowhere/x.svg: No such file' "a picture that cannot be written is an error" \
	"$equant" redist schedule "${r[@]}" --svg nowhere/x.svg
exits 2 'expected schedule, compare' "a word is needed" "$equant" redist
exits 2 '^equant redist experiment: unrecognized option' "an unknown option is named, and of what it is none" \
	"$equant" redist experiment --quick
exits 0 '^Usage: equant redist' "help is help behind a word, too" "$equant" redist schedule --help
exits 2 'bandwidths from 3e+08 to 2e+08' "a range has a beginning and an end" \
	"$equant" redist experiment --slowest 3e8
exits 1 'standard output: No space left' "a full disk is an error" \
	sh -c "'$equant' redist compare ${r[*]} > /dev/full"

finish
