#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# raw.pl ROUND VARIANT FILE: one line of raw figures from the report of one run; "grain" is the
# CPU time of a rank between two meetings, if it is known how often the ranks met.
use strict;
use warnings;
use JSON::PP;

my ($round, $variant, $file) = @ARGV;
open(my $in, '<', $file) or die "$file: $!\n";
my $run = decode_json(do { local $/; <$in> });
my $loop = $run->{loops}[0] or die "$file: no loop\n";
my %figure = map { $_ => $loop->{$_} }
	qw(elapsed limit of_limit efficiency efficiency_lower productive compete waited);
my $i = 0;
for my $rank (@{$loop->{ranks}}) {
	$figure{"$_$i"} = $rank->{$_} for qw(units share speed quantum balancing waiting moving);
	$figure{$_} += $rank->{$_} for qw(moves phases sent fallbacks);
	$figure{probe} = $rank->{probe};
	$i++;
}
$figure{grain} = $loop->{productive} / $i / $ENV{BENCH_MEETINGS}
	if $ENV{BENCH_MEETINGS} && defined $loop->{productive};
$figure{$_} = $run->{machine}{$_} for qw(steal others);
print join("\t", $round, $variant, map { "$_=" . ($figure{$_} // 'nan') } sort keys %figure), "\n";
