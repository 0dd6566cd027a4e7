# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What the tests of `equant top` ask of its output:
#
#	top.pl lines FILE COUNT		lines of JSON with COUNT tasks each
#	top.pl busy FILE COUNT		these want their CPU all the time
#	top.pl agrees FILE LOAD		readings around a load agree with the load's own account
#	top.pl screen FILE ROWS COLUMNS	frames of a screen of that size
#	top.pl shares FILE LOAD		the shares on the last frame are the load's
#
# FILE is what the command printed, LOAD the line that apps/load printed.  Says what
# is wrong and exits with 1.
use strict;
use warnings;
use JSON::PP;

my ($what, $file, @arguments) = @ARGV;

sub slurp
{
	my ($name) = @_;
	local $/;

	open(my $in, '<', $name) or die "$name: $!\n";
	return scalar <$in>;
}

# The readings; over the module there are lines of events between them.
sub readings
{
	return grep { $_->{tasks} } map { decode_json($_) } split(/\n/, slurp($file));
}

sub near
{
	my ($name, $value, $goal, $tolerance) = @_;

	return if abs($value - $goal) <= $tolerance;
	die sprintf("%s: %.4f, expected %.4f +- %.4f\n", $name, $value, $goal, $tolerance);
}

sub at_least
{
	my ($name, $value, $bound) = @_;

	die sprintf("%s: %.4f, expected at least %.4f\n", $name, $value, $bound) if $value < $bound;
}

sub load_of
{
	my ($line) = slurp($_[0]) =~ /^load: (.*)$/m or die "$_[0]: not the line of a load\n";
	my %load = $line =~ /(\w+)=([\d.]+)/g;

	$load{share} = $load{cpu_time} / ($load{cpu_time} + $load{wait_time});
	return \%load;
}

sub lines
{
	my ($count) = @_;
	my @lines = readings();

	for my $line (@lines) {
		my $seen = @{ $line->{tasks} };

		die "$seen tasks, expected $count\n" if $seen != $count;
	}
	die "no lines\n" unless @lines;
	return @lines;
}

sub busy
{
	for my $line (lines(@_)) {
		for my $task (@{ $line->{tasks} }) {
			at_least("task $task->{tid}", $task->{run} + $task->{wait}, 0.95);
		}
	}
}

# A counter of a task at an instant, between the readings that enclose it.
sub at
{
	my ($readings, $counter, $instant) = @_;

	for my $i (1 .. $#$readings) {
		my ($a, $b) = @$readings[$i - 1, $i];

		next unless $a->{t_ns} <= $instant && $instant <= $b->{t_ns};
		return $a->{$counter} + ($b->{$counter} - $a->{$counter}) *
			($instant - $a->{t_ns}) / ($b->{t_ns} - $a->{t_ns});
	}
	die "no readings around $instant ns\n";
}

# All ranks want their CPU all the time.  While the load runs each of them waits, and
# with equal weights each gets what the load gets.
sub agrees
{
	my $load = load_of(@_);
	my $end = $load->{start} + 1e9 * $load->{elapsed};
	my (%readings, $total, $ranks, $interval);

	for my $line (readings()) {
		push(@{ $readings{$_->{record}} }, $_)
			for grep { $_->{cpu} == $load->{cpu} } @{ $line->{tasks} };
	}
	for my $of (values %readings) {
		my %s = map {
			$_ => (at($of, $_, $end) - at($of, $_, $load->{start})) / 1e9
		} qw(run_ns wait_ns contended_ns);

		at_least('wait of a rank beside the load', $s{wait_ns}, $load->{cpu_time} - 0.05);
		at_least('contended', $s{contended_ns}, 0.95 * $load->{elapsed});
		near('share of a rank', $s{run_ns} / ($s{run_ns} + $s{wait_ns}), $load->{share}, 0.04);
		$total += $s{run_ns};
		$interval = ($of->[-1]{t_ns} - $of->[0]{t_ns}) / 1e9 / $#$of;
		$ranks++;
	}
	die "no rank on the load's CPU\n" unless $ranks;
	at_least('time that was there', 1.01 * $load->{elapsed} + 0.3 * $interval,
		 $total + $load->{cpu_time});
}

# The frames of a screen, without what controls it.
sub frames
{
	my @frames = split(/\033\[H/, slurp($file));

	die "the terminal's other screen is not entered first\n" if shift(@frames) !~ /\033\[\?1049h/;
	die "the terminal's other screen is not left last\n" if $frames[-1] !~ /\033\[\?1049l\s*$/;
	for (@frames) {
		s/\033\[[?0-9;]*[a-zA-Z]//g;
		tr/\r//d;
		s/\n+$//;
		die "something else controls the terminal\n" if /[^\n -~]/;
	}
	return @frames;
}

sub screen
{
	my ($rows, $columns) = @_;

	for my $frame (frames()) {
		my @lines = split(/\n/, $frame);

		die @lines . " lines on $rows\n" if @lines > $rows;
		die "\"$_\" on $columns columns\n" for grep { length > $columns } @lines;
	}
}

sub shares
{
	my $load = load_of(@_);
	my @lines = split(/\n/, (frames())[-1]);
	my ($heading) = grep { $lines[$_] =~ /^ +TID +USER/ } 0 .. $#lines;
	my @names = split(' ', $lines[$heading]);
	my $ranks;

	s/ ms\b// for @lines;
	for my $line (grep { /^ *\d+ / } @lines[$heading + 1 .. $#lines]) { # no events
		my %row;

		@row{@names} = split(' ', $line);
		next if $row{CPU} != $load->{cpu};
		near("share in \"$line\"", $row{SHARE}, $load->{share}, 0.05);
		near("contended in \"$line\"", $row{CONT} =~ s/%//r, 100, 5);
		$ranks++;
	}
	die "no rank on the load's CPU\n" unless $ranks;
}

my %known = (lines => \&lines, busy => \&busy, agrees => \&agrees, screen => \&screen, shares => \&shares);
($known{ $what // '' } // die "top.pl: lines, busy, agrees, screen or shares\n")->(@arguments);
