#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What `equant plan` says of loops and machines, good and bad.  The example is that of
# Documentation/plan.rst.

. "$(dirname "$0")/lib.sh"

plan 34

export LC_ALL=C

example()
{
	listing figure4.plan plan.rst
	listing figure4.out plan.rst
	mv "$scratch/figure4.plan" "$scratch/figure4"
	"$equant" plan --planner bitonic "$scratch/figure4" > "$scratch/actual" 2>&1
	diff "$scratch/figure4.out" "$scratch/actual"
}
silent "the example is what the document says" example

product()
{
	listing product.nest plan.rst
	listing product.plan plan.rst
	listing product.out plan.rst
	"$equant" plan --nest "$scratch/product.nest" --planner memory "$scratch/product.plan" \
		> "$scratch/actual" 2>&1
	diff "$scratch/product.out" "$scratch/actual"
}
silent "the nest is what the document says" product

# file NAME TEXT...: lines
file()
{
	local name=$1

	shift
	printf '%s\n' "$@" > "$scratch/$name"
}

cd "$scratch" || exit 1
exits 0 '^cyclic  *22 ' "round robin takes 22 in the example" "$equant" plan figure4
exits 0 '^ *1 lx .* 10 5 1-2$' "the best schedule is printed" "$equant" plan figure4
exits 0 '^bitonic  ' "the planners can be listed" "$equant" plan --list

file loop 'iterations 4' 'bytes 1'
file machine 'processor slow operation 2' 'processor fast operation 1 byte 1'
exits 0 '^ *2 fast ' "loop and machine may be in two files" "$equant" plan machine loop
exits 0 '^bitonic  *the processors are unequal' "what a planner is not made for is said" \
	"$equant" plan machine loop
exits 1 'bitonic: the processors are unequal' "no answer at all is an error" \
	"$equant" plan --planner bitonic machine loop

file small 'iterations 4' 'resident 10 1' 'processor a operation 1 memory 13' \
	'processor b operation 9 memory 13'
exits 0 '^block .*  2$' "who fits into memory is not complained of" "$equant" plan small
file smaller 'iterations 4' 'resident 10 1' 'processor a operation 1 memory 13' \
	'processor b operation 9 memory 11'
exits 0 '^block .* memory of processor 2 is too small' "who does not fit is named" \
	"$equant" plan smaller
file smallest 'iterations 4' 'resident 10 1' 'processor a operation 1 memory 13' \
	'processor b operation 9 memory 10'
exits 1 'smallest: memory too small for any schedule: 3 of 4 iterations fit, one processor needs 1 bytes more for the other 1' \
	"memory too small for any schedule is an error" "$equant" plan smallest
exits 1 'smallest: memory too small for any schedule' \
	"so it is if the planner does not look at memory" "$equant" plan --planner block smallest

# ---- memory that a nest needs --------------------------------------------------

exits 0 'memory 11411879.4 ' "another replacement needs other memory" \
	"$equant" plan --replacement ideal --nest product.nest product.plan
file costs 'iterations 2788' 'work 7' 'bytes 100'
exits 0 'work 7, bytes 100, memory 11420056.7 ' "the nest gives memory to a loop with other costs" \
	"$equant" plan --nest product.nest costs product.plan
exits 1 'product.nest: the distributed loop has 2788 iterations, the program 4' \
	"a nest for another loop is refused" "$equant" plan --nest product.nest small
sed 's/loop j/loop x/' product.nest > strange.nest
exits 1 "strange.nest:6: 'j': no loop of this name is around the reference" \
	"a stride of no loop is named with file and line" \
	"$equant" plan --nest strange.nest product.plan
sed 's/distributed parallel/distributed carries/' product.nest > carries.nest
exits 1 "carries.nest:2: 'j' carries a dependence" "so is a nest that cannot be planned" \
	"$equant" plan --nest carries.nest product.plan
exits 2 "replacement 'fifo': there are ideal lru" "a replacement nobody knows is named" \
	"$equant" plan --replacement fifo --nest product.nest product.plan
exits 2 'replacement is of --nest only' "without a nest there is nothing to replace" \
	"$equant" plan --replacement ideal small
exits 2 'list goes with no file and no other option' "the list is all there is" \
	"$equant" plan --list --planner block
exits 2 'list goes with no file and no other option' "... in one form" "$equant" plan --list --json

json_is_valid()
{
	"$equant" plan --json figure4 | perl -MJSON::PP -0777 -ne '
		my $all = decode_json($_);
		my ($best) = grep { $_->{planner} eq "bitonic" } @{$all->{planners}};
		print "bitonic takes $best->{makespan}\n" unless $best->{makespan} == 19;
		my @spans = map { map { [$_->{first}, $_->{count}, $_->{step}] } @{$_->{spans}} }
			@{$all->{schedule}{processors}};
		my $sum = 0;
		for my $span (@spans) {
			$sum += $span->[0] + $span->[2] * $_ for 0 .. $span->[1] - 1;
		}
		print "iterations add up to $sum\n" unless $sum == 55;'
}
if perl -MJSON::PP -e 1 2> /dev/null; then
	silent "JSON holds every iteration" json_is_valid
else
	skip "JSON holds every iteration" "no JSON::PP"
fi

# ---- bad input -----------------------------------------------------------------

file wrong 'iterations 4' 'work affine -1 3'
file empty
file zero 'iterations 0'
file huge 'iterations 9007199254740992' 'work 1e300' 'processor a operation 1'
exits 1 "wrong:2: '3': below 0, or too large, at the first or last iteration" \
	"a fault is named with file, line and word" "$equant" plan wrong
exits 1 'empty: neither iterations nor a processor' "an empty file is refused" "$equant" plan empty
exits 1 "zero:1: '0': expected 1 or more" "no iterations are refused" "$equant" plan zero
exits 1 'take longer than a double can hold' "overflow is refused" "$equant" plan huge
exits 1 "stdin:1: 'aa*': a line without an end" "an endless line is refused" \
	sh -c "tr '\\0' a < /dev/zero | $equant plan /dev/stdin"
exits 1 'loop: no processor' "a loop alone is refused" "$equant" plan loop
exits 1 'machine: no iterations' "a machine alone is refused" "$equant" plan machine
exits 1 'loop: a second program' "a second loop is refused" "$equant" plan loop loop
exits 1 'nowhere: No such file' "a file that is not there is named" "$equant" plan nowhere
exits 2 "planner 'best': there are block" "a planner nobody knows is named" \
	"$equant" plan --planner best figure4
exits 2 'expected one or two files' "a file is needed" "$equant" plan
exits 1 'standard output: No space left' "a full disk is an error" \
	sh -c "'$equant' plan figure4 > /dev/full"

finish
