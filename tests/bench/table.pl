#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# table.pl RAW: the evaluation's cells, one line per program and load, as a table
# in reStructuredText.  Medians, with the quartiles of the rounds behind them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Series;

my @loads = qw(none constant 60 20 6 2 0.5);
my $value = Series::read_raw($ARGV[0]);
my (%row, @rows);
for my $round (values %$value) {
	for (keys %$round) {
		my ($name, $load) = /^([^.]+)\.(.*)\.equant\.elapsed$/ or next;

		push @rows, $name unless $row{$name};
		$row{$name}{$load} = 1;
	}
}

my @table = (['program', 'load', 'work, ms', 'quanta', 'not balanced', "thesis' settings",
	      'equant', 'times as fast as not', "... as the thesis'"]);
for my $name (sort @rows) {
	for my $load (grep { $row{$name}{$_} } @loads) {
		my $cell = "$name.$load";
		my @grain = Series::of($value, "$cell.equant.grain");
		my @quantum = eval { Series::of($value, "$name.constant.equant.quantum0") };
		my $grain = Series::quantile(0.5, @grain);

		push @table, [$name, $load =~ /\d/ ? "$load s" : $load, sprintf('%.3g', 1e3 * $grain),
			      @quantum ? sprintf('%.3g', $grain / Series::quantile(0.5, @quantum)) : '-',
			      (map { Series::text('%.3f', Series::of($value, "$cell.$_.efficiency")) }
			       qw(off thesis equant)),
			      (map { Series::text('%.2f', Series::of($value, "$cell.$_.elapsed/$cell.equant.elapsed")) }
			       qw(off thesis))];
	}
}

print "\nEfficiency (Siegell 1995, eq. 1.4): median (quartiles)\n\n";
Series::print_table(@table);
