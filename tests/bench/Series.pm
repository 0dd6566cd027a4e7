# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Raw figures: lines of ROUND, VARIANT and NAME=VALUE pairs with tabs between them,
# and # comments.  A series is a figure of each round.
package Series;
use strict;
use warnings;

sub read_raw
{
	my ($file) = @_;
	my %value;

	open(my $in, '<', $file) or die "$file: $!\n";
	while (<$in>) {
		next if /^#/;
		chomp;
		my ($round, $variant, @pairs) = split /\t/;

		for (@pairs) {
			my ($name, $value) = split /=/, $_, 2;

			$value{$round}{"$variant.$name"} = $value;
		}
	}
	return \%value;
}

# VARIANT.FIGURE, or VARIANT.FIGURE/VARIANT.FIGURE: a ratio is taken within each round.
sub of
{
	my ($value, $expression) = @_;
	my ($above, $below) = split m{/}, $expression;
	my @series;

	for my $round (sort { $a <=> $b } keys %$value) {
		my $x = $value->{$round}{$above};
		my $y = defined $below ? $value->{$round}{$below} : 1;

		next unless defined $x && defined $y;
		die "$expression: round $round: not a number\n" if grep { /nan|inf/i } ($x, $y);
		push @series, $x / $y;
	}
	return sort { $a <=> $b } @series;
}

# Of a sorted series, which is not empty.
sub quantile
{
	my ($fraction, @sorted) = @_;
	my $at = $fraction * $#sorted;
	my $low = int($at);

	return $sorted[$low] if $low == $#sorted;
	return $sorted[$low] + ($at - $low) * ($sorted[$low + 1] - $sorted[$low]);
}

# Median (quartiles) of a sorted series.
sub text
{
	my ($format, @sorted) = @_;

	return '-' unless @sorted;
	return sprintf($format, @sorted) if @sorted == 1;
	return sprintf("$format ($format-$format)", map { quantile($_, @sorted) } 0.5, 0.25, 0.75);
}

# The 95 % interval of the median, between order statistics: with k the largest number for
# which P(Binomial(n, 1/2) < k) <= 2.5 %, from the k-th smallest to the k-th
# largest; it assumes nothing about the distribution, and needs six rounds.
sub interval
{
	my @sorted = @_;
	my $n = @sorted;
	my ($k, $term, $sum) = (0, 0.5 ** $n, 0);

	while (($sum += $term) <= 0.025) {
		$k++;
		$term *= ($n - $k + 1) / $k;
	}
	return 'too few for a 95 % interval' unless $k;
	return sprintf('95 %% %.4g..%.4g', $sorted[$k - 1], $sorted[$n - $k]);
}

# A table in reStructuredText; the first row is its head.
sub print_table
{
	my @rows = @_;
	my @width;

	for my $row (@rows) {
		for (0 .. $#$row) {
			$width[$_] = length $row->[$_] if length $row->[$_] > ($width[$_] // 0);
		}
	}
	my $rule = join('  ', map { '=' x $_ } @width) . "\n";
	my $head = shift @rows;

	print $rule, line($head, @width), $rule, (map { line($_, @width) } @rows), $rule;
}

sub line
{
	my ($row, @width) = @_;
	my $line = join('  ', map { sprintf('%-*s', $width[$_], $row->[$_]) } 0 .. $#$row);

	return ($line =~ s/ +$//r) . "\n";
}

1;
