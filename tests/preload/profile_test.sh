#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# equant run --profile: programs that know nothing of equant, told where their ranks' time went.

. "$(dirname "$0")/../tools/lib.sh"

why=$(missing_for_jobs)
[ -n "$why" ] || perl -MJSON::PP -e 1 2> /dev/null || why="perl has no JSON::PP"
if [ -n "$why" ]; then
	echo "1..0 # SKIP $why"
	exit 4
fi

plan 51
program=$TEST_BUILD/tests/preload/program_worker
fortran=$TEST_BUILD/tests/fortran
mpirun="mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1"
mkdir "$scratch/tmp" && export TMPDIR=$scratch/tmp

# job NAME OPTION... -- COMMAND: runs it, the report becomes $scratch/NAME
job()
{
	local name=$1

	shift
	"$equant" run --quiet --profile --json --output "$scratch/$name" "$@" 2>&1
}

# told NAME EXPRESSION: holds for the array of profiles in that report, @p, and the ranks of the first, @r
told()
{
	perl -MJSON::PP -0777 -e '
		my @p = @{decode_json(<STDIN>)->{profiles}};
		my @r = @p ? @{$p[0]{ranks}} : ();
		exit 0 if @r && eval $ARGV[0];
		print $@, encode_json(\@p), "\n";
		exit 1' "$2" < "$scratch/$1"
}

# shellcheck disable=SC2086
succeeds "an unchanged program runs" job calls -- $mpirun -np 3 "$program" calls
succeeds "... and each of its ranks has left a profile" told calls \
	'@p == 1 && $p[0]{size} == 3 && $p[0]{left} == 3 && $p[0]{finished} == 3 && "@{[map { $_->{rank} } @r]}" eq "0 1 2" &&
	! grep { $_->{call} ne "MPI_Finalize" || $_->{is_inside} || ! defined $_->{cpu_time} || $_->{call_cost} <= 0 } @r'
succeeds "... with as many calls of MPI as it makes" told calls '! grep { $_->{calls} != 18 } @r'
succeeds "... and all of its time, part by part" told calls '! grep {
	my $all = 0;
	for my $part (@{$_}{qw(outside inside)}) {
		$all += $part->{wall};
		die if abs($part->{run} + $part->{wait} + $part->{asleep} - $part->{wall}) > 1e-6;
	}
	abs($all - $_->{elapsed}) > 1e-6 || ! $_->{finished}
} @r'

# shellcheck disable=SC2086
succeeds "work is told from waiting" job times -- $mpirun -np 3 "$program" times
succeeds "... who computes had a CPU outside of MPI" told times \
	'$r[0]{outside}{run} > 0.295 && $r[1]{outside}{run} < 0.2 && $r[2]{outside}{run} < 0.2'
succeeds "... who sleeps sleeps" told times '$r[2]{outside}{wall} - $r[2]{outside}{run} > 0.195'
succeeds "... and too little of a CPU is no share" told times \
	'! grep { defined $_->{share} && $_->{outside}{run} + $_->{outside}{wait} < 0.0099 } @r'
succeeds "... and who waits for others does so in MPI" told times \
	'$r[1]{inside}{wall} + $r[1]{outside}{wait} + $r[1]{outside}{asleep} > 0.25'
exits 0 '^rank   time   run  wait sleep   time   run  wait sleep share quantum  CPUs calls/s  host$' \
	"all that is told in words, too" sh -c '"$0" run --quiet --profile -- $1 -np 3 "$2" times > "$3" &&
	grep "^rank" "$3" && grep -q "^outside of MPI, rank 0 wanted a CPU longest, 0\.[3-9]" "$3" &&
	[ "$(grep -cE "^ +[012]( +[0-9.]+%( +[0-9.]+){3}){2} +([01]\.[0-9]{3}|-) +([0-9.]+ms|-)( +[0-9.]+){2}  [^ ]+$" "$3")" -eq 3 ]' \
	"$equant" "$mpirun" "$program" "$scratch/words"
succeeds "who computes longest is told" told times \
	'$p[0]{longest} >= $r[0]{outside}{run} && $p[0]{longest} - $p[0]{shortest} > 0 && $p[0]{spread} > 0.09 && $p[0]{spread} < $p[0]{longest}'

kept()
{
	"$equant" run --quiet --profile --keep -- $mpirun -np 2 "$program" times > "$scratch/printed" 2> "$scratch/said" &&
		"$equant" report "$(sed -n 's/^equant: reports are in //p' "$scratch/said")" > "$scratch/again" &&
		sed -n '/^profile of /,$p' "$scratch/printed" | diff - <(sed -n '/^profile of /,$p' "$scratch/again")
}
silent "profiles that were kept are printed again" kept
exits 0 '^  *"profiles": \[$' "... as JSON, too" \
	sh -c '"$0" report --json "$(sed -n "s/^equant: reports are in //p" "$1")"' "$equant" "$scratch/said"
exits 1 'are of traces, there are profiles' "... but not drawn" \
	sh -c '"$0" report --svg x.svg "$(sed -n "s/^equant: reports are in //p" "$1")"' "$equant" "$scratch/said"

# Both want the same CPU for 300 ms: whoever is done last has waited for as long, be it in MPI.
cpu=$(sed -n 's/^Cpus_allowed_list:\t\([0-9]*\).*/\1/p' /proc/self/status)
# shellcheck disable=SC2086
succeeds "two ranks share a CPU" job works -- taskset -c "$cpu" $mpirun -np 2 "$program" works
succeeds "... and are told to have waited for it" told works \
	'(grep { $_->{outside}{run} > 0.295 } @r) == 2 && grep { $_->{outside}{wait} + $_->{inside}{wait} > 0.25 } @r'

# shellcheck disable=SC2086
succeeds "other threads' calls are handed on" job threads -- $mpirun -np 2 "$program" threads
succeeds "... and only those of the one that initialised MPI are told" told threads '! grep { $_->{calls} != 1 } @r'
exits 0 '^rank 1: no calls are told: another thread makes them' "... and ranks of which none are are said to be such" \
	"$equant" run --profile -- $mpirun -np 2 "$program" silent

if [ "$(config HAVE_FORTRAN)" = 1 ]; then
	for module in calls calls_f08; do
		# shellcheck disable=SC2086
		succeeds "$module: a program in Fortran runs" job "$module" -- $mpirun -np 2 "$fortran/${module}_worker"
		succeeds "$module: ... with as many calls as it makes" told "$module" '@r == 2 && ! grep { $_->{calls} != 7 } @r'
	done
else
	for sentence in {calls,calls_f08}": a program in Fortran runs" {calls,calls_f08}": ... with as many calls as it makes"; do
		skip "$sentence" "no Fortran"
	done
fi

# A program that has equant itself: both are there, and the probe has the thread twice.
# shellcheck disable=SC2086
both()
{
	job both -- $mpirun -np 2 "$mm" -n 64 -p 20 &&
		perl -MJSON::PP -0777 -e 'exit !(@{decode_json(<STDIN>)->{loops}} == 1)' < "$scratch/both"
}
succeeds "a program with hooks is balanced and has its report" both
succeeds "... and a profile, too" told both '@r == 2 && ! grep { ! $_->{finished} } @r'

# What one job leaves out the others do not wait for.
apart()
{
	# shellcheck disable=SC2086
	job apart -- $mpirun -np 1 "$program" calls : -np 1 env -u LD_PRELOAD "$program" calls
}
succeeds "a rank without the library does not hold up the others" apart
succeeds "... and is missed" told apart '@r == 1 && $p[0]{size} == 2 && $p[0]{left} == 1'

# ends WORK: a job that ends before its time
ends()
{
	# shellcheck disable=SC2086
	! job "$1" -- $mpirun -np 2 "$program" "$1"
}
succeeds "a rank is killed" ends killed
succeeds "... and what it has left is there" told killed \
	'@r == 2 && ! $r[1]{finished} && $r[1]{calls} == 1 && ! $r[1]{is_inside} && $r[1]{inside}{wall} > 0 && $r[1]{stayed} > 0 &&
	$r[1]{call} eq "MPI_Barrier" && ! defined $p[0]{longest}'
succeeds "a rank aborts the job" ends aborts
succeeds "... and what it has computed is there" told aborts '@r == 2 && ! $r[0]{finished} && $r[0]{outside}{run} > 0.295 && $r[0]{call} eq "MPI_Abort" && $r[1]{call} eq "MPI_Barrier"'
succeeds "ranks end without MPI_Finalize" ends exits
succeeds "... and what they have computed is there" told exits 'grep { ! $_->{finished} && $_->{outside}{run} > 0.295 } @r'

early()
{
	# shellcheck disable=SC2086
	! "$equant" run --profile -- $mpirun -np 2 "$program" early > "$scratch/said" 2>&1 &&
		grep -q '^   1 .*did not finish: outside of MPI for the last ' "$scratch/said" &&
		! grep -E '[ -]nan[ %]|^rank 1: ' "$scratch/said"
}
silent "of a rank that is killed before its first call nothing else is said" early

# A day later the job runs again, by the same name; where a profile says when it began there are a number of 64 bits and
# eight of 32 before.
again()
{
	mkdir "$scratch/reports"
	EQUANT_REPORT=$scratch/reports ends killed || return 1
	for rank in 0 1; do
		perl -0777 -pe 'substr($_, 40, 8) = pack("Q", unpack("Q", substr($_, 40, 8)) + 86400e9)' \
			"$scratch/reports/$rank".*.profile > "$scratch/reports/$rank.900.profile"
	done
	"$equant" report --json "$scratch/reports" > "$scratch/again" &&
		told again '@p == 2 && ! grep { $_->{left} != 2 || grep { $_->{stayed} > 40000 } @{$_->{ranks}} } @p'
}
succeeds "jobs of one name in one directory are two, and each ended when its own ranks were last seen" again
mkdir "$scratch/home" && touch "$scratch/home/.profile"
exits 1 'home: no trace' "a shell's .profile is none" "$equant" report "$scratch/home"

# Another tool that takes MPI's calls.
cat > "$scratch/tool.c" << END
#include <mpi.h>
#include <stdio.h>
static int barriers;
int MPI_Barrier(MPI_Comm comm) { barriers++; return PMPI_Barrier(comm); }
int MPI_Finalize(void) { printf("tool: %d barriers\\n", barriers); return PMPI_Finalize(); }
END
other_tool()
{
	# shellcheck disable=SC2046,SC2086
	gcc -shared -fPIC -o "$scratch/tool.so" "$scratch/tool.c" $(config MPI_CFLAGS) $(config MPI_LIBS) &&
		LD_PRELOAD=$scratch/tool.so job other -- $mpirun -np 2 "$program" calls > "$scratch/said" &&
		[ "$(grep -cx 'tool: 5 barriers' "$scratch/said")" -eq 2 ] &&
		told other '@r == 2 && ! grep { $_->{calls} != 18 } @r'
}
succeeds "another tool has the calls, too" other_tool

# A program that knows nothing of MPI, and plugins of it that bring one each.
cat > "$scratch/loads.c" << END
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[argc - 1], RTLD_NOW), (*run)(void);
	if (plugin && (*(void **)&run = dlsym(plugin, "run")))
		return run(), 0;
	return puts(dlerror()), 1;
}
END
cat > "$scratch/plugin.c" << END
#include <mpi.h>
void run(void) { MPI_Init(NULL, NULL); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); }
END
cat > "$scratch/other.c" << END
#include <stdio.h>
#include <string.h>
int MPI_Init(int *argc, char ***argv) { return 0; }
int MPI_Barrier(int comm) { return printf("barrier of %d\n", comm), 0; }
int MPI_Finalize(void) { return 0; }
int PMPI_Initialized(int *flag) { return *flag = 1, 0; }
int PMPI_Get_library_version(char *text, int *length) { return *length = strlen(strcpy(text, "A third one")), 0; }
END
cat > "$scratch/foreign.c" << END
int MPI_Init(int *argc, char ***argv), MPI_Barrier(int comm), MPI_Finalize(void);
void run(void) { MPI_Init(0, 0); MPI_Barrier(7); MPI_Finalize(); }
END
plugins()
{
	cd "$scratch" && gcc -o loads loads.c && gcc -shared -fPIC -o libother.so other.c &&
		gcc -shared -fPIC -o foreign.so foreign.c -L. -lother -Wl,-rpath,"$scratch" || return 1
	# shellcheck disable=SC2046
	gcc -shared -fPIC -o plugin.so plugin.c $(config MPI_CFLAGS) $(config MPI_LIBS)
}
succeeds "plugins are built" eval '( plugins )'
# shellcheck disable=SC2086
succeeds "a plugin that brings MPI is told" job plugin -- $mpirun -np 2 "$scratch/loads" "$scratch/plugin.so"
succeeds "... as any program is" told plugin '@r == 2 && ! grep { $_->{calls} != 1 || ! $_->{finished} } @r'
brings_another()
{
	"$equant" run --profile -- "$scratch/loads" "$scratch/foreign.so" > "$scratch/said" 2>&1 &&
		grep -qx 'barrier of 7' "$scratch/said" && grep -q 'has another MPI .*: A third one$' "$scratch/said"
}
succeeds "a plugin that brings another MPI has that one" brings_another

# shellcheck disable=SC2086
succeeds "a command may start several jobs" job several -- \
	sh -c "$mpirun -np 2 '$program' calls && $mpirun -np 2 '$program' silent"
succeeds "... each with its ranks" told several \
	'@p == 2 && ! (grep { $_->{left} != 2 } @p) && $r[0]{calls} == 18 && $r[1]{calls} == 18 && ! grep { $_->{calls} } @{$p[1]{ranks}}'
# The first one has no rank 1, and the second one no rank 0.
in_part()
{
	# shellcheck disable=SC2086
	job in_part -- sh -c "$mpirun -np 1 '$program' calls : -np 1 env -u LD_PRELOAD '$program' calls &&
		$mpirun -np 1 env -u LD_PRELOAD '$program' silent : -np 1 '$program' silent" &&
		told in_part '@p == 2 && ! grep { $_->{left} != 1 || $_->{size} != 2 } @p'
}
succeeds "... and those that each lacks" in_part

# shellcheck disable=SC2086
succeeds "a program of another MPI runs" job foreign -- $mpirun -np 2 "$TEST_BUILD/tests/preload/foreign_worker"
# shellcheck disable=SC2086
exits 0 '^equant: no profile: the program has another MPI than equant was built with: Another Version: 1$' \
	"... and it is said that it has no profile" \
	"$equant" run --profile -- $mpirun -np 1 "$TEST_BUILD/tests/preload/foreign_worker"
mkdir "$scratch/with blank"
cp "$equant" "$scratch/with blank"
# A copy of the command looks where it was to be installed, too.
if "$scratch/with blank/equant" run --profile -- true > "$scratch/installed" 2>&1; then
	skip "a library that is not there is named" "it is installed: $(grep -v '^$' "$scratch/installed" | head -n 1)"
else
	exits 125 'libequant_profile.so is not where it was built or installed' "a library that is not there is named" \
		"$scratch/with blank/equant" run --profile -- touch "$scratch/started"
fi
cp "$TEST_BUILD/libexec/equant/libequant_profile.so" "$scratch/with blank"
exits 125 'with blank/libequant_profile.so: LD_PRELOAD takes no blanks' "... and so is one that cannot be loaded" \
	"$scratch/with blank/equant" run --profile -- touch "$scratch/started"
exits 2 'x LD_PRELOAD of the command would take the place of ours' "a command that loads another library before ranks is refused" \
	"$equant" run --profile -- mpirun -x LD_PRELOAD=a.so -np 1 touch "$scratch/started"
exits 0 '^no profile: ' "a command without ranks has none" "$equant" run --profile -- true
exits 125 'tmp/.*/0.1.profile: shorter than a profile$' "a bad profile is named" \
	"$equant" run --profile -- sh -c 'echo bad > "$EQUANT_MPI_PROFILE/0.1.profile"'
finish
