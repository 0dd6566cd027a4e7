#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# matrix.pl RAW FIGURE HEAD GROUP... < LINES
#
# A table in reStructuredText: a line "FIRST COLUMN<TAB>VARIANT" becomes a row with the medians
# (quartiles) of FIGURE in the cells GROUP.VARIANT.  FIRST COLUMN may be several, with tabs between
# them; HEAD names them in the same way.  "-" was not measured, "?" has a round without a number.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Series;

my ($file, $figure, $head, @groups) = @ARGV;
my $value = Series::read_raw($file);
my @table;
while (<STDIN>) {
	chomp;
	my @row = split /\t/;
	my $variant = pop @row;

	for my $group (@groups) {
		my @series = eval { Series::of($value, "$group.$variant.$figure") };

		push @row, $@ ? '?' : Series::text('%.3f', @series);
	}
	push @table, \@row;
}
unshift @table, [split(/\t/, $head), @groups];
Series::print_table(@table);
