#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What `equant dag` says of graphs and machines, good and bad.  The example is that of
# Documentation/dag.rst.

. "$(dirname "$0")/lib.sh"

plan 52
export LC_ALL=C

listings()
{
	for name in example.dot machine.json schedule.out; do
		listing $name dag.rst
	done
}
silent "the document holds the example" listings
cd "$scratch" || exit 1

example()
{
	"$equant" dag schedule example.dot --machine machine.json > actual 2>&1
	diff schedule.out actual
}
silent "the example is what the document says" example

machine="--machine machine.json"
exits 0 '^heft  *4.9 ' "all schedulers are compared" "$equant" dag compare example.dot $machine
exits 0 '^optimum  *4.9 ' "the optimum can be asked for" \
	"$equant" dag compare example.dot $machine --optimum
exits 0 '^single  *5.5 .* 4.9$' "what improving adds is told apart" \
	"$equant" dag compare example.dot $machine --improve
exits 0 '^single: 5.5$' "one scheduler can be asked" \
	"$equant" dag schedule example.dot $machine --scheduler single

exits 0 '^dts-repaired: ' "dts is the reading that is better" \
	"$equant" dag schedule example.dot $machine --scheduler dts

echo '{ "processors": [2, 1], "data_rate": 0.1 }' > slower.json
exits 0 '^heft: 4.9, 9 on the actual machine$' "a schedule is carried out on another machine" \
	"$equant" dag simulate example.dot $machine --scheduler heft --actual slower.json

saved()
{
	"$equant" dag schedule example.dot $machine --save saved.json > printed &&
		"$equant" dag draw example.dot saved.json > drawn || return
	sed -n '/|/p' printed > printed.rows
	sed -n '/|/p' drawn > drawn.rows
	[ -s printed.rows ] && diff printed.rows drawn.rows
}
silent "a schedule that is saved is drawn as it was printed" saved
exits 1 'nowhere/x.json: No such file' "one that cannot be saved is an error" \
	"$equant" dag schedule example.dot $machine --save nowhere/x.json
exits 2 'not of compare' "no schedule of all can be saved" "$equant" dag compare example.dot $machine --save x.json
echo '{ "processors": [1, 1], "data_rate": 0.1, "costs": [[1, 1]] }' > costs.json
exits 1 '^equant dag: costs.json: ' "a machine that does not fit the graph is named" \
	"$equant" dag schedule example.dot --machine costs.json

cat > executed.json << END
{ "tasks": [ { "task": 0, "processor": 0, "start": 0, "finish": 2.5 },
	{ "task": 1, "processor": 0, "start": 2.5, "finish": 3.5 },
	{ "task": 2, "processor": 0, "start": 4.1, "finish": 5.1 },
	{ "task": 3, "processor": 1, "start": 2.7, "finish": 3.9 } ],
  "messages": [ { "edge": 1, "from": 0, "to": 1, "start": 2.5, "finish": 2.7 },
	{ "edge": 3, "from": 1, "to": 0, "start": 3.9, "finish": 4.1 } ] }
END
exits 0 '1 .*\[right-' "a schedule from a file is drawn" "$equant" dag draw example.dot executed.json

# A message that comes long after the last task: the axis ends with it, and no line is longer.
sed 's/"finish": 4.1 }/"finish": 51 }/' executed.json > late.json
exits 0 '^ *0 *51$' "the axis of a chart ends with the last message" \
	"$equant" dag draw example.dot late.json --svg late.svg
within_chart()
{
	"$equant" dag draw example.dot late.json | awk 'length($0) > 80'
	sed -n 's/^<rect class.* x="\([0-9.]*\)".* width="\([0-9.]*\)".*/\1 \2/p' late.svg |
		awk '{ blocks++ } $1 + $2 > 970.01 { print } END { if (blocks != 6) print blocks " blocks" }'
}
silent "what happens late is within the chart" within_chart
sed 's/"finish": 4.1 }/"finish": 1e308 }/; s/3.9, "finish": 51/1, "finish": 1e308/' executed.json > late.json
exits 0 '^ *0 *1e+308$' "a message that takes for ever is drawn" "$equant" dag draw example.dot late.json

sed -i 's/"task": 3/"task": 4/' executed.json
exits 1 "executed.json:4: '4': the graph has none of this number" \
	"a schedule of another graph is refused" "$equant" dag draw example.dot executed.json

"$equant" dag generate lu --size 3 --spread 0.5 --comm-comp 0.2 > lu.json
exits 0 '^lu.json: 14 tasks, 21 edges; 2 ' "what is generated is read" \
	"$equant" dag schedule lu.json $machine --svg lu.svg
tasks_drawn()
{
	[ "$(grep -c 'class="task"' lu.svg)" -eq 14 ] || echo "other than 14 tasks in lu.svg"
	tail -n 1 lu.svg | grep -qx '</svg>' || echo "lu.svg has no end"
}
silent "every task is in the chart" tasks_drawn

# Carried out again from JSON alone: orders of processors and messages, and lengths from the graph.
# Numbers have all their digits, so that the ends are the same to the last bit.
carried_out()
{
	"$equant" dag schedule --json lu.json $machine > lu.out
	perl -MJSON::PP -0777 -ne '
		push @all, decode_json($_);
		END {
			my ($graph, $out) = @all;
			my $plan = $out->{schedule};
			my (%on, %end, %there, @free, $makespan);
			for my $k (0 .. $#{$plan->{processors}}) {
				$on{$_->{task}} = $k for @{$plan->{processors}[$k]};
			}
			my @queue = map { [@$_] } @{$plan->{processors}};
			my @message = @{$plan->{messages}};
			my $channel = 0;
			my $left = @{$graph->{tasks}};
			$makespan = 0;
			while ($left) {
				my $before = $left + @message;
				while (@message && exists $end{$message[0]{from_task}}) {
					my $m = shift @message;
					my $start = $end{$m->{from_task}};
					$start = $channel if $channel > $start;
					$channel = $start + 0.1 * $graph->{edges}[$m->{edge}]{data};
					$there{$m->{edge}} = $channel;
				}
				for my $k (0 .. $#queue) {
					next unless @{$queue[$k]};
					my $task = $queue[$k][0]{task};
					my ($start, $ok) = ($free[$k] // 0, 1);
					for my $e (0 .. $#{$graph->{edges}}) {
						my $edge = $graph->{edges}[$e];
						next unless $edge->{to} == $task;
						my $at = $on{$edge->{from}} == $k ? $end{$edge->{from}} : $there{$e};
						if (!defined $at) { $ok = 0 } elsif ($at > $start) { $start = $at }
					}
					next unless $ok;
					shift @{$queue[$k]};
					$left--;
					$free[$k] = $end{$task} = $start + $graph->{tasks}[$task]{work};
					$makespan = $end{$task} if $end{$task} > $makespan;
				}
				die "stuck" if $before == $left + @message;
			}
			for my $slot (map { @$_ } @{$plan->{processors}}) {
				print "task $slot->{task} ends at $end{$slot->{task}}, not $slot->{finish}\n"
					if $end{$slot->{task}} != $slot->{finish};
			}
			print "takes $makespan, planned $plan->{makespan}\n"
				if $makespan != $plan->{makespan};
		}' lu.json lu.out 2>&1
}
if perl -MJSON::PP -e 1 2> /dev/null; then
	silent "JSON has what is needed to carry the schedule out" carried_out
else
	skip "JSON has what is needed to carry the schedule out" "no JSON::PP"
fi

few="--seeds 1 --family fork --pe 2 --ccr 1 --alpha 10 --spread 0.5"
exits 0 '^ *200  *[1-9]' "the paper's experiments can be repeated" \
	"$equant" dag experiment --over beta $few --svg experiment.svg
"$equant" dag experiment $few > "$scratch/one" 2>&1
[ "$(grep -c '^ *[0-9]' "$scratch/one")" -eq 1 ] && grep -q '^ *2 ' "$scratch/one"
report $? "a parameter of one value has one row"
exits 2 "--pe '3': none of its values" "values that they have not are refused" \
	"$equant" dag experiment --pe 3
exits 2 "--over 'pi': there are pe ccr beta alpha spread" "parameters are named" \
	"$equant" dag experiment --over pi
exits 2 "--seeds '0': expected a whole number" "experiments need a seed" \
	"$equant" dag experiment --seeds 0

# ---- bad input -----------------------------------------------------------------

echo 'digraph { node [weight=1] a -> b -> a }' > cycle.dot
echo 'digraph { a [weight=x] }' > word.dot
echo '{ "processors": [] }' > none.json
echo '{ "processors": [1, 1], "costs": [ [1, 2] ] }' > table.json
echo '{ "processors": [1] }' > one.json
exits 1 'cycle.dot: cycle of 2 tasks: a -> b -> a' "a cycle is named" \
	"$equant" dag schedule cycle.dot $machine
exits 1 "word.dot:1: 'x': expected a number" "a fault is named with file, line and word" \
	"$equant" dag schedule word.dot $machine
exits 1 "none.json:1: 'processors': at least one" "a machine without processors is refused" \
	"$equant" dag schedule example.dot --machine none.json
exits 1 'costs of 1 tasks for a graph of 4 tasks' "a table for another graph is refused" \
	"$equant" dag schedule example.dot --machine table.json
echo '{ "processors": [1, 1], "memory": [5, 5], "pinned": [ { "task": 0, "processor": 1 } ] }' > small.json
sed 's/weight=1\]/weight=1, memory=4]/' example.dot > large.dot
exits 1 'need 12 of memory, 6 more than all processors have' "memory that fits no schedule is named" \
	"$equant" dag compare large.dot --machine small.json
sed 's/weight=1\]/weight=1, memory=2]/' example.dot > large.dot
exits 0 'no processor may run all tasks' "memory that fits only together is shared out" \
	"$equant" dag compare large.dot --machine small.json --improve
exits 1 'single: no processor may run all tasks' "a scheduler that cannot says so" \
	"$equant" dag schedule large.dot --machine small.json --scheduler single
exits 1 '^equant dag: one.json: 1 processors instead of 2' "another number of processors is refused" \
	"$equant" dag simulate example.dot $machine --actual one.json
exits 1 '14 tasks: at most 10' "too large a search is refused" \
	"$equant" dag compare lu.json $machine --optimum
exits 1 'nowhere.dot: No such file' "a file that is not there is named" \
	"$equant" dag schedule nowhere.dot $machine
exits 1 'example.txt: the name ends in none' "a format nobody knows is refused" \
	"$equant" dag schedule example.txt $machine
exits 2 "--format 'xml': there are dot stg json" "... and so is one that is asked for" \
	"$equant" dag schedule example.dot $machine --format xml
cp example.dot example.txt
drawn()
{
	"$equant" dag schedule example.txt $machine --format dot --save plan.json > /dev/null &&
		"$equant" dag draw example.txt plan.json --format dot
}
exits 0 '^plan.json: ' "the format may be said where the name does not tell it" drawn
exits 2 'are the same file' "a chart does not become a schedule" \
	"$equant" dag schedule example.dot $machine --svg x.json --save x.json
exits 1 'nowhere/x.svg: No such file' "a chart that cannot be written is an error" \
	"$equant" dag schedule example.dot $machine --svg nowhere/x.svg
exits 2 'no family "tree"; there are fork' "a family nobody knows is named" "$equant" dag generate tree
exits 2 "--scheduler 'best': there are heft cpop" "a scheduler nobody knows is named" \
	"$equant" dag schedule example.dot $machine --scheduler best
exits 2 'expected one graph' "a graph is needed" "$equant" dag schedule $machine
exits 2 'machine is needed' "a machine is needed" "$equant" dag schedule example.dot
exits 2 'expected schedule, compare' "a word is needed" "$equant" dag
exits 2 '^equant dag compare: unrecognized option' "an unknown option is named, and of what it is none" \
	"$equant" dag compare --quick example.dot
exits 0 '^Usage: equant dag' "help is help behind a word, too" "$equant" dag compare --help
exits 2 "comp-comm '0': expected a number above 0" "a ratio is above 0" \
	"$equant" dag generate lu --comp-comm 0
exits 2 "'x': expected a whole number" "a seed is a number" "$equant" dag generate lu --seed x
exits 2 '--layers is of layered only' "layers are refused where there are none" \
	"$equant" dag generate lu --layers 2
exits 2 '--degree is of layered only' "... and a degree" "$equant" dag generate fork --degree 2
exits 1 'standard output: No space left' "a full disk is an error" \
	sh -c "'$equant' dag compare example.dot $machine > /dev/full"

finish
