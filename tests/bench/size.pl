#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# size.pl SECONDS N REPEATS MEETINGS POWER FILE: from a run of size N, whose ranks met so many times
# in each of the REPEATS, the size for which the work between two meetings, which grows with
# that power of it, takes a rank SECONDS of CPU time, and how many repeats take it ten seconds.
use strict;
use warnings;
use JSON::PP;
use List::Util qw(max);

my ($seconds, $n, $repeats, $meetings, $power, $file) = @ARGV;
open(my $in, '<', $file) or die "$file: $!\n";
my $ranks = decode_json(do { local $/; <$in> })->{loops}[0]{ranks};
my $repeat = max(map { $_->{run} } @$ranks) / $repeats;
my $wanted = int($n * ($seconds / ($repeat / $meetings)) ** (1 / $power) + 0.5);
my $times = int(10 / ($repeat * ($wanted / $n) ** 3) + 0.5);
printf "%d %d\n", $wanted, $times > 1 ? $times : 1;
