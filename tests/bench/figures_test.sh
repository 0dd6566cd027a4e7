#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What the measurements do with raw figures, and with cells.  Nothing is measured.

. "$(dirname "$0")/../tree/lib.sh"

plan 22

bench=$TEST_SOURCE/tests/bench
raw=$scratch/raw

# Variant a takes 1 to 5 s, b twice as long; a comment is not a round.
{
	echo "# a comment"
	for round in 1 2 3 4 5; do
		printf '%d\ta\telapsed=%d\n%d\tb\telapsed=%d\n' $round $round $round $((2 * round))
	done
} > "$raw"

figure()
{
	perl "$bench/figures.pl" "$raw" "$@" 2>&1
}

# says PATTERN SENTENCE ARGUMENT...: figures.pl prints it
says()
{
	local pattern=$1 sentence=$2

	shift 2
	figure "$@" > "$scratch/figure"
	grep -q -e "$pattern" "$scratch/figure"
	local status=$?
	[ $status -eq 0 ] || sed 's/^/# /' "$scratch/figure"
	report $status "$sentence"
}

says 'n=5  1 \[2 3 4\] 5  ' "minimum, quartiles, median and maximum are those of the rounds" x a.elapsed
says '^x  *0.5$' "a ratio is taken within each round" x a.elapsed/b.elapsed
says 'goal <= 3 .* met$' "a median that is the goal meets it" x a.elapsed '<=' 3
says 'goal >= 3.1 .* MISSED$' "a median below the goal misses it" x a.elapsed '>=' 3.1
says '^x  *4.8  goal <= 4 .* MISSED$' "95 % of the rounds are judged where they are asked for" \
	x 95%:a.elapsed '<=' 4
says 'goal <= 2 .* MISSED$' "a spread widens a goal that says about" x a.elapsed about 1.01
says 'no round has c.elapsed' "a figure that was not measured is an error" x c.elapsed
printf '6\tc\telapsed=nan\n' >> "$raw"
says 'round 6: not a number' "a figure that is no number is an error" x c.elapsed

# One line of the picture for each column, and a gap where there is no number.
drawn()
{
	printf 'grain mpi block\n500 0.5 0.7\n1000 - 0.8\n2000 0.6 0.9\n' |
		"$TEST_BUILD/tests/bench/chart" "a title" "an abscissa" > "$scratch/picture.svg"
	grep -q '>a title<' "$scratch/picture.svg" || echo "no title"
	grep -q '>mpi<' "$scratch/picture.svg" || echo "no name"
	sed -n 's/.*class="line".* d="\(.*\)".*/\1/p' "$scratch/picture.svg" |
		tr -d '0-9. \n' | grep -qx MMMLL || cat "$scratch/picture.svg"
}
if [ -x "$TEST_BUILD/tests/bench/chart" ]; then
	silent "a picture has a line for each column of a table" drawn
else
	skip "a picture has a line for each column of a table" "built without MPI"
fi

# measurement FULL ROUNDS_UNTIL_INTERRUPTED: two cells of two rounds, one line per round in $scratch/log
measurement()
{
	cat > "$scratch/toy.sh" <<- 'END'
		. "$BENCH_DIRECTORY/cells.sh"
		prepare() { :; }
		cell()
		{
			[ "$(wc -l < "$BENCH_LOG")" -lt "$BENCH_STOP" ] || exit 9
			echo "$1 $2 $3" >> "$BENCH_LOG"
			printf '%s\t%s\telapsed=1\n' "$1" "$2.$3" >> "$raw"
		}
		group toy.none 7 a b
		cells_end
	END
	: > "$scratch/log"
	BENCH_FULL=$1 BENCH_STOP=$2 BENCH_LOG=$scratch/log BENCH_DIRECTORY=$bench BENCH_ROUNDS=2 \
		BENCH_LEFT=${3:-} bash "$scratch/toy.sh" 2>&1
}

# The measurement's own copy of what it finds in a build folder
mkdir -p "$scratch/build"
cp "$TEST_BUILD/libequant.so" "$scratch/build"
TEST_BUILD_REAL=$TEST_BUILD
export TEST_BUILD=$scratch/build

# A machine on which nothing is measured needs no two CPUs.
export BENCH_CPUS="0 1"

was()
{
	local expected=$1

	[ "$(paste -sd , "$scratch/log")" = "$expected" ] || echo "was: $(paste -sd , "$scratch/log")"
}

measurement 1 3 > /dev/null
silent "variants alternate within a round" was "1 toy.none a,1 toy.none b,2 toy.none a"
measurement 1 9 > /dev/null
silent "interrupted cells start anew" was \
	"1 toy.none a,1 toy.none b,2 toy.none a,2 toy.none b"
rm "$scratch/build/bench/cells/toy.toy.none.b"
succeeds "what is left is counted" test "$(measurement 1 9 1)" = "1 14"
measurement 1 9 > /dev/null
silent "a finished cell is not measured again" was "1 toy.none b,2 toy.none b"
sed -i '1s/rounds=2/rounds=1/' "$scratch/build/bench/cells/toy.toy.none.a"
measurement 1 9 > /dev/null
silent "a cell of fewer rounds is not finished" was "1 toy.none a,2 toy.none a"
measurement "" 9 > /dev/null
silent "the short measurements begin with no cells" was \
	"1 toy.none a,1 toy.none b,2 toy.none a,2 toy.none b"

cat > "$scratch/judging.sh" <<- 'END'
	. "$BENCH_DIRECTORY/lib.sh"
	printf '1\ta\telapsed=%s\n' 1 > "$raw"
	judge "there is none" a.nothing '<=' 1
	judge "there is one" a.elapsed '<=' 1
END
BENCH_DIRECTORY=$bench bash "$scratch/judging.sh" > "$scratch/judged" 2>&1
[ $? -eq 1 ]
report $? "a measurement that cannot judge a figure has failed"
grep -q 'there is one .* met$' "$scratch/judged"
report $? "... and judges the others"

TEST_BUILD=$TEST_BUILD_REAL
minutes()
{
	local minutes

	minutes=$(BENCH_LEFT=1 "$bench/run" | sed -n 's/.*, that is \([0-9]*\) minutes$/\1/p')
	[ -n "$minutes" ] && [ "$minutes" -le 20 ] || echo "make bench takes '$minutes' minutes"
}

# of_at_least_five ITEM...: a median of fewer rounds says little
of_at_least_five()
{
	awk -v "items= $* " '!/^#/ && index(items, " " $1 " ") {
			seen++
			for (run = 4; run <= 5; run++)
				if ($run != "-" && $run < 5)
					print $1 " has " $run " rounds"
		}
		END { if (!seen) print "no such measurements" }' "$bench/items"
}
silent "waiting, control and reaction are medians of five rounds at least" \
	of_at_least_five waiting control reaction

# cells_of ROW: how many cells of ablations there are to measure
cells_of()
{
	mkdir -p "$scratch/empty"
	ln -sfn "$TEST_BUILD_REAL/bin" "$TEST_BUILD_REAL/libexec" "$TEST_BUILD_REAL/libequant.so" \
		"$scratch/empty"
	TEST_BUILD=$scratch/empty BENCH_FULL=1 BENCH_LEFT=1 BENCH_ROWS=$1 BENCH_LOADS=${2:-} \
		bash "$bench/ablations.sh" | cut -d' ' -f 1
}

subsets()
{
	local row all=0

	for row in mm mm4 lu sor10000 sor1000 sor2000; do
		[ "$(cells_of "$row")" -gt 0 ] || echo "no cells of $row"
		all=$((all + $(cells_of "$row")))
	done
	[ "$all" -eq "$(cells_of "")" ] || echo "$all cells of rows, of all $(cells_of "")"
	[ "$(cells_of lu constant)" -eq 4 ] || echo "lu, constant: $(cells_of lu constant) cells"
	[ "$(cells_of nothing)" -eq 0 ] || echo "cells of no program"
}

# The mechanisms that are switched, one variant each
switched()
{
	local word

	for word in CONTROL=tree CONTROL=central WAIT=block WAIT=spin MOVEMENT=restricted PORTS=1 OMIT=20 \
			cyclic,equant cyclic,off; do
		grep -qE "^[[:space:]].*[[:space:],]$word\$" "$bench/ablations.sh" || echo "no variant $word"
	done
}
if [ -x "$TEST_BUILD_REAL/libexec/equant/sor" ]; then
	silent "ablations of one program can be measured by themselves" subsets
else
	skip "ablations of one program can be measured by themselves" "built without MPI"
fi
silent "who decides, how ranks wait and how rows are dealt out are switched" switched

silent "make bench takes at most 20 minutes by its own account" minutes

# Rank 1 of two has 45 units; the competitor comes at 2 s and leaves at 2.5 s.  It gets 3 of the
# 10 after 20 ms, most of the others after 40, the last after 60.
"$TEST_BUILD/tests/trace/write_worker" "$scratch" && perl -e '
	my ($in, $out) = @ARGV;
	open(my $file, "<:raw", $in) or die;
	local $/; my $trace = <$file>;
	my $t0 = unpack("Q", substr($trace, 32, 8)); # behind magic, version, size, rank, ranks, units
	die "t0 $t0" unless $t0 == 700e9;
	my $new = substr($trace, 0, 128);
	for ([3020, 3], [3040, 6], [3060, 1], [3600, -10]) {
		my ($ms, $units) = @$_;
		my ($from, $to) = $units > 0 ? (0, 1) : (1, 0);
		$new .= pack("QLLllqQQ", $t0 + $ms * 1e6, 4, 0, $from, $to, abs $units, 0, 0) . "\0" x 80;
	}
	my $end = substr($trace, -128);
	substr($end, 16, 8) = pack("Q", 4); # events
	open($file, ">:raw", $out) or die;
	print $file $new, $end;
' "$scratch/rows.1.trace" "$scratch/moves.1.trace" 2> "$scratch/perl"
reacted()
{
	cat "$scratch/perl"
	"$TEST_BUILD/tests/bench/reaction" "$scratch/moves.1.trace" 701000000000 1 > "$scratch/reaction"
	sed -n 2p "$scratch/reaction" | grep -qx '2 20.0000 40.0000' || cat "$scratch/reaction"
}
if [ -x "$TEST_BUILD/tests/bench/reaction" ]; then
	silent "a reaction ends with the move that makes nine tenths of the difference" reacted
else
	skip "a reaction ends with the move that makes nine tenths of the difference" "built without MPI"
fi
finish
