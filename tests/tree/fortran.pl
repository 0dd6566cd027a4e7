#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# fortran.pl MODULE.f90: what is public in it, as the reference in fortran.rst has it:
#	constants, and types with their components,
#	subroutine NAME(ARGUMENT, [OPTIONAL], ...)
#	    TYPE[, intent(out)][, ...] :: ARGUMENT, ...
# Left out is what the reference says of all of them.  A generic name stands for each of its
# procedures.

use strict;
use warnings;

my $file = shift // die "usage: fortran.pl MODULE.f90\n";
my %always = map { $_ => 1 } 'type(equant_context) :: eq', 'type(equant_loop) :: loop',
	'type(equant_table) :: table', 'integer(c_int), intent(out) :: ierror',
	'integer, intent(out) :: ierror';
my (@lines, %public, %generic, $interface);

# Statements without comments, continued lines joined.
sub statements {
	my $open = '';

	open my $in, '<', $file or die "$file: $!\n";
	while (<$in>) {
		chomp;
		s/!.*//;
		s/^\s+|\s+$//g;
		$open .= ($open ne '' ? ' ' : '') . $_;
		next if $open =~ s/\s*&$//;
		push @lines, $open if $open ne '';
		$open = '';
	}
}

sub list {
	return split /\s*,\s*(?![^(]*\))/, shift;
}

# A generic name's procedures; in a module without a list of names all interfaces are public.
sub find_names {
	my $type = '';
	my $lists = grep { /^public ::/ } @lines;

	for (@lines) {
		$public{$_} = 1 for /^public :: (.*)/ ? list($1) : ();
		$interface = $1 if /^(?:abstract )?interface ?(\w*)/;
		if (defined $interface && /^(?:subroutine|function) (\w+)/) {
			$generic{$1} = $interface if $interface ne '';
			$public{$1} = 1 unless $lists;
		} elsif (defined $interface && /^module procedure (.*)/) {
			$generic{$_} = $interface for list($1);
		}
		undef $interface if /^end interface/;
	}
}

# wrapped(HEAD, ITEM...): lines of at most 100 columns
sub wrapped {
	my ($head, @items) = @_;
	my $line = $head;

	while (@items) {
		my $item = shift(@items) . (@items ? ',' : '');

		if (length("$line $item") > 98 && $line ne $head) {
			print "$line &\n";
			$line = ' ' x 8 . $item;
		} else {
			$line .= " $item";
		}
	}
	print "$line\n";
}

sub say_types {
	my ($type, $hidden, $last, @names) = ('', 0, '');
	my $flush = sub {
		wrapped("    $last ::", @names) if @names;
		@names = ();
	};

	for (@lines) {
		wrapped('integer(c_int) ::', list($1)) if /^enumerator :: (.*)/;
		print "$_\n" if /, parameter ::/;
		if (/^type, bind\(C\) :: (\w+)/) {
			($type, $hidden, $last) = ($1, 0, '');
			print "type($type)\n";
		} elsif (/^end type/) {
			$flush->();
			$type = '';
		} elsif ($type && $_ eq 'private') {
			$hidden = 1;
		} elsif ($type && !$hidden && !/, private ::/ && /^(.*?) :: (.*)/) {
			$flush->() if $1 ne $last;
			$last = $1;
			push @names, $2;
		}
	}
}

sub say_procedure {
	my ($kind, $name, $arguments, $result, @declared) = @_;
	my %argument = map { $_ => 1 } list($arguments);
	my (%optional, @said);
	my $type = '';

	for (@declared) {
		my ($attributes, $variables) = /^(.*?) :: (.*)$/;
		my @bare = map { s/\(.*//r } list($variables);

		if (defined $result && $bare[0] eq $result) {
			$type = "$attributes ";
			next;
		}
		next unless $argument{$bare[0]};
		if ($attributes =~ s/, optional//) {
			$optional{$_} = 1 for @bare;
		}
		$attributes =~ s/, intent\(in\)//;
		push @said, "$attributes :: $variables" unless $always{"$attributes :: $variables"};
	}
	$arguments = join ', ', map { $optional{$_} ? "[$_]" : $_ } list($arguments);
	print "$type$kind $name($arguments)\n";
	print "    $_\n" for @said;
}

sub say_procedures {
	my ($kind, $name, $arguments, $result, @declared);

	for (@lines) {
		if (/^(subroutine|function) (\w+)\((.*?)\)(.*)/) {
			($kind, $name, $arguments) = ($1, $2, $3);
			$result = $4 =~ /result\((\w+)\)/ ? $1 : undef;
			@declared = ();
		} elsif (defined $name && /^end (subroutine|function)/) {
			my $said = $generic{$name} // $name;

			say_procedure($kind, $said, $arguments, $result, @declared) if $public{$said};
			undef $name;
		} elsif (defined $name && /^(?:type|integer|real|character|logical|procedure)\b.* :: /) {
			push @declared, $_;
		}
	}
}

statements();
find_names();
say_types();
say_procedures();
