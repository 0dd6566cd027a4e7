#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# size.pl SECONDS N FILE: from a run with matrices of N x N, the N for which one
# product takes a rank SECONDS of CPU time, and how many take it ten seconds.
use strict;
use warnings;
use JSON::PP;

my ($seconds, $n, $file) = @ARGV;
open(my $in, '<', $file) or die "$file: $!\n";
my $ranks = decode_json(do { local $/; <$in> })->{loops}[0]{ranks};
my $slowest = 0;
for my $rank (@$ranks) {
	my $row = $rank->{run} / $rank->{computed};

	$slowest = $row if $row > $slowest;
}
my $wanted = int($n * ($seconds / ($slowest * $n / @$ranks)) ** (1 / 3) + 0.5);
printf "%d %d\n", $wanted, int(10 / $seconds + 0.5);
