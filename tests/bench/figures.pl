#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# figures.pl RAW TEXT EXPRESSION [RELATION GOAL]
#
# EXPRESSION is VARIANT.FIGURE or VARIANT.FIGURE/VARIANT.FIGURE; a ratio is
# taken within each round.  Prints median, minimum, quartiles, maximum, the
# 95 % interval of the median, and whether the median meets the goal.
#
# The interval is the one between order statistics: with k the largest number for
# which P(Binomial(n, 1/2) < k) <= 2.5 %, from the k-th smallest to the k-th
# largest; it assumes nothing about the distribution, and needs six rounds.
use strict;
use warnings;

my ($file, $text, $expression, $relation, $goal) = @ARGV;
my %value;
open(my $in, '<', $file) or die "$file: $!\n";
while (<$in>) {
	chomp;
	my ($round, $variant, @pairs) = split /\t/;

	for (@pairs) {
		my ($name, $value) = split /=/, $_, 2;

		$value{$round}{"$variant.$name"} = $value;
	}
}

my ($above, $below) = split m{/}, $expression;
my @series;
for my $round (sort { $a <=> $b } keys %value) {
	my $x = $value{$round}{$above};
	my $y = defined $below ? $value{$round}{$below} : 1;

	next unless defined $x && defined $y;
	die "$text: round $round: not a number\n" if grep { /nan|inf/i } ($x, $y);
	push @series, $x / $y;
}
die "$text: no round has $expression\n" unless @series;
my @sorted = sort { $a <=> $b } @series;

sub quantile
{
	my $at = $_[0] * $#sorted;
	my $low = int($at);

	return $sorted[$low] if $low == $#sorted;
	return $sorted[$low] + ($at - $low) * ($sorted[$low + 1] - $sorted[$low]);
}

sub interval
{
	my $n = @sorted;
	my ($k, $term, $sum) = (0, 0.5 ** $n, 0);

	while (($sum += $term) <= 0.025) {
		$k++;
		$term *= ($n - $k + 1) / $k;
	}
	return 'too few for a 95 % interval' unless $k;
	return sprintf('95 %% %.4g..%.4g', $sorted[$k - 1], $sorted[$n - $k]);
}

my $median = quantile(0.5);
printf "%-44s %8.4g", $text, $median;
if (defined $relation) {
	my $met = $relation eq '>=' ? $median >= $goal : $median <= $goal;

	printf "  goal %s %-6g %s", $relation, $goal, $met ? 'met' : 'MISSED';
}
printf "\n    n=%d  %.4g [%.4g %.4g %.4g] %.4g  %s\n", scalar @sorted, $sorted[0],
	quantile(0.25), $median, quantile(0.75), $sorted[-1], interval();
