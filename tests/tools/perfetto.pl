# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What the tests of `equant report` ask of its trace events:
#
#	perfetto.pl form FILE		they are in order, and slices of a track do not overlap
#	perfetto.pl agrees FILE TEXT	they say what the table of TEXT says
#	perfetto.pl moves FILE		each rank's moves: rank, microseconds, from, to, units, bytes
#
# Says what is wrong and exits with 1.
use strict;
use warnings;
use JSON::PP;

my ($what, $file, $text) = @ARGV;

sub slurp
{
	my ($name) = @_;
	local $/;

	open(my $in, '<', $name) or die "$name: $!\n";
	return scalar <$in>;
}

my @events = @{decode_json(slurp($file))->{traceEvents}};
my @timed = grep { $_->{ph} ne 'M' } @events;
die "no events\n" if !@timed;

sub form
{
	my (%last, %end);

	for my $e (@events) {
		die "a $e->{ph}\n" if $e->{ph} !~ /^[MXiC]$/;
		die "without a name or place\n" if grep { !defined($e->{$_}) } qw(name pid tid args);
	}
	for my $e (@timed) {
		die "$e->{name}: before the start\n" if $e->{ts} < 0;
		die "$e->{name}: not in order\n" if $e->{ts} < ($last{$e->{pid}} // 0);
		$last{$e->{pid}} = $e->{ts};
		next if $e->{ph} ne 'X';
		my $track = "$e->{pid}.$e->{tid}";
		die "$e->{name} at $e->{ts}: begins within another\n"
			if $e->{ts} < ($end{$track} // 0) - 1e-6;
		die "$e->{name}: a length of $e->{dur}\n" if $e->{dur} < 0;
		$end{$track} = $e->{ts} + $e->{dur};
	}
}

sub seconds
{
	my ($pid, $name) = @_;
	my $sum = 0;

	$sum += $_->{dur} / 1e6 for grep { $_->{pid} == $pid && $_->{name} eq $name } @timed;
	return $sum;
}

sub last_of
{
	my ($pid, $name) = @_;
	my @values = map { $_->{args}{value} }
		grep { $_->{pid} == $pid && $_->{ph} eq 'C' && $_->{name} eq $name } @timed;

	return $values[-1];
}

sub near
{
	my ($name, $value, $goal, $tolerance) = @_;

	return if defined($value) && abs($value - $goal) <= $tolerance;
	die "$name: " . ($value // 'none') . ", expected $goal\n";
}

sub agrees
{
	my $ranks = 0;

	for (split(/\n/, slurp($text))) {
		my ($rank, $units, $run, $wait, $share, $phases) =
			/^ +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +\S+ +\S+ +\S+ +(\d+) / or next;
		my $pid = $rank + 1;
		my @names = map { $_->{args}{name} }
			grep { $_->{pid} == $pid && $_->{name} eq 'process_name' } @events;
		my $decisions = grep { $_->{pid} == $pid && $_->{ph} eq 'i' &&
			exists($_->{args}{verdict}) } @timed;

		die "@names\n" if "@names" ne "rank $rank";
		near("run of rank $rank", seconds($pid, 'running'), $run, 0.006);
		near("wait of rank $rank", seconds($pid, 'waiting for a CPU'), $wait, 0.006);
		near("units of rank $rank", last_of($pid, 'units'), $units, 0);
		near("share of rank $rank", last_of($pid, 'share of the CPU'), $share, 0.001);
		near("competitors of rank $rank", last_of($pid, "competitors' share"), 1 - $share,
			0.001);
		near("phases of rank $rank", $decisions, $phases, 0);
		$ranks++;
	}
	die "no rank in the table\n" if !$ranks;
}

sub moves
{
	for my $e (grep { $_->{name} eq 'moves' } @timed) {
		print join(' ', $e->{pid} - 1, $e->{ts}, $e->{dur}, map {
			"$_->{from}>$_->{to}:$_->{units}:$_->{bytes}" } @{$e->{args}{moves}}), "\n";
	}
}

form() if $what eq 'form';
agrees() if $what eq 'agrees';
moves() if $what eq 'moves';
