#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# figures.pl RAW TEXT EXPRESSION [RELATION GOAL | median]
#
# EXPRESSION is as in Series.pm.  Prints median, minimum, quartiles, maximum, the 95 % interval
# of the median, and whether the median meets the goal.  "<=" and ">=" are strict.  "about":
# at most GOAL, or at most as far above 1 as half the distance between the quartiles, which is
# the spread.  "median" prints the bare number.  With "95%:" before EXPRESSION it is the value
# below which 95 % of the rounds are that is printed and judged, not the median.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Series;

my ($file, $text, $expression, $relation, $goal) = @ARGV;
my $fraction = $expression =~ s/^95%:// ? 0.95 : 0.5;
my @series = Series::of(Series::read_raw($file), $expression);
die "$text: no round has $expression\n" unless @series;

my ($quarter, $median, $three, $figure) =
	map { Series::quantile($_, @series) } 0.25, 0.5, 0.75, $fraction;
$relation //= '';
if ($relation eq 'median') {
	print "$figure\n";
	exit;
}
if ($relation eq 'about') {
	my $spread = 1 + ($three - $quarter) / 2;

	$goal = $spread if $spread > $goal;
	$relation = '<=';
}
printf "%-44s %8.4g", $text, $figure;
if ($relation) {
	my $met = $relation eq '>=' ? $figure >= $goal : $figure <= $goal;

	printf "  goal %s %-6.4g %s", $relation, $goal, $met ? 'met' : 'MISSED';
}
printf "\n    n=%d  %.4g [%.4g %.4g %.4g] %.4g  %s\n", scalar @series, $series[0],
	$quarter, $median, $three, $series[-1], Series::interval(@series);
