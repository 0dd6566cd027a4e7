#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Run tests strictly:
#
#	tests/run.sh [-v] [-a] [-o BUILD] [-t SECONDS] [-f FACTOR] ROOM/NAME...
#
# ROOM/NAME is BUILD/tests/ROOM/NAME, or the script tests/ROOM/NAME when NAME
# ends in .sh.  The kernel's own runner reports and goes on; here a test
# program passes only if
#	- its exit status says so and no result is "not ok";
#	- its plan is there, and exactly the planned results came;
#	- it ends in time: tests/ROOM/settings holds timeout=SECONDS for the
#	  room (-t or 60 if not) and timeout_NAME=SECONDS for one program,
#	  all times -f on a machine that is so much slower;
#	- it leaves nothing behind: no process (see contain.c), pinned BPF object,
#	  shared-memory file, mount, cgroup, or new BUG/WARNING in the kernel's log.
# With -a, aside, programs get what CPU time others leave over, and what those leave
# in the machine meanwhile is not taken for theirs.
# Prints TAP, one result per program, and last: N passed, N failed, N skipped,
# where single results inside the programs are counted.  Exit status 1 when
# anything failed.

set -u
export LC_ALL=C

tests=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$tests")
build=$source/build
verbose=
aside=
default_timeout=60
factor=1

arguments=("$@")
while getopts vao:t:f: option; do
	case $option in
	v) verbose=1 ;;
	a) aside=1 ;;
	o) build=$OPTARG ;;
	t) default_timeout=$OPTARG ;;
	f) factor=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
build=$(cd "$build" && pwd) || exit 2

# A BPF file system and shared memory of the tests' own: a probe that is loaded on this machine
# neither disturbs them nor is unloaded by them, and what they and the ranks that they kill leave
# there is gone with them, however they end.
if [ "$(id -u)" -eq 0 ] && [ -z "${TEST_MOUNTS:-}" ] && unshare --mount true 2>/dev/null; then
	export TEST_MOUNTS=own
	# shellcheck disable=SC2016
	exec unshare --mount -- sh -c 'mount -t bpf bpf /sys/fs/bpf; mount -t tmpfs tmpfs /dev/shm
		exec "$@" 2>&3' sh "$0" "${arguments[@]}" 3>&2 2> /dev/null
fi

# The program is the first of a session, which the scheduler weighs against others' sessions, if it
# knows them; it may refuse that to users who ask often.
yield=()
# shellcheck disable=SC2016
[ -z "$aside" ] || yield=(sh -c '{ echo 19 > /proc/self/autogroup; } 2> /dev/null
	exec nice -n 19 "$0"')

passed=0 failed=0 skipped=0 number=0
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

# Options of the library must not come in from outside; a seed may.
for name in $(compgen -e EQUANT_); do
	[ "$name" = EQUANT_SEED ] || unset "$name"
done
export TEST_BUILD=$build TEST_SOURCE=$source TEST_FACTOR=$factor
# Open MPI takes this layer on one machine anyhow, but only after it has asked the drivers of several
# networks that are not here: more than half of the time that a small job takes to start; hwloc's of
# displays take a sixth of the rest, and its look at each PCI device as much again where the machine is a
# virtual one.  And of a job in which one has failed, mpirun is not to wait whether
# the others can be ended more kindly.
export OMPI_MCA_pml=ob1 OMPI_MCA_odls_base_sigkill_timeout=0 HWLOC_PLUGINS_PATH=/nonexistent
export HWLOC_COMPONENTS=-linux:pci
if [ "$(id -u)" -eq 0 ]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# What a test must not leave behind, one line each.
residue()
{
	[ -z "$aside" ] || return
	find /sys/fs/bpf -maxdepth 1 -name 'equant*' -printf 'pinned: %p\n' 2>/dev/null
	find /dev/shm -maxdepth 1 -name 'equant*' -printf 'shared memory: %p\n' 2>/dev/null
	find /sys/fs/cgroup -maxdepth 3 -type d -name 'equant*' -printf 'cgroup: %p\n' 2>/dev/null
	# bpffs stays mounted once a probe was loaded.
	awk '$2 != "/sys/fs/bpf" { print "mount: " $2 " " $3 }' /proc/self/mounts
}

kernel_log()
{
	dmesg 2>/dev/null
}

# Lines of the second kernel log that are not in the first and tell of a bug.
kernel_bugs()
{
	comm -13 <(sort "$1") <(sort "$2") |
		grep -E 'BUG:|WARNING:|Oops|general protection fault|soft lockup|UBSAN:|KASAN:' |
		sed 's/^/kernel log: /'
}

# settings ROOM NAME: the time limit
timeout_of()
{
	local file=$tests/$1/settings name=${2%.sh} limit=$default_timeout line

	[ ! -r "$file" ] || while IFS= read -r line; do
		case $line in
		timeout=*) limit=${line#*=} ;;
		esac
	done < "$file"
	[ ! -r "$file" ] || while IFS= read -r line; do
		case $line in
		"timeout_$name="*) limit=${line#*=} ;;
		esac
	done < "$file"
	echo $((limit * factor))
}

# Judge one log: prints "passed failed skipped" and then the reasons of failure.
# A result may be repeated word for word: a forked child flushes its parent's
# buffer.
judge()
{
	awk -v status="$2" '
	function fault(text) { faults[++nr_faults] = text }
	/^1\.\.[0-9]+/ {
		if (plan != "" && $1 != plan)
			fault("two plans: " plan " and " $1)
		plan = $1
		if ($0 ~ /^1\.\.0 *# *SKIP/)
			whole = 1
		next
	}
	/^Bail out!/ { fault($0) }
	/^(not )?ok( |$)/ {
		n = ($1 == "ok") ? $2 : $3
		if (n in result) {
			if (result[n] != $0)
				fault("two results " n ": " $0)
			next
		}
		result[n] = $0
		results++
		if (n !~ /^[0-9]+$/)
			fault("result without a number: " $0)
		if ($1 == "not") {
			fail++
			fault($0)
		} else if ($0 ~ /# *SKIP/) {
			skip++
		} else if ($0 ~ /# *(TODO|XFAIL)/) {
			fault("an expected failure is a failure: " $0)
		} else {
			pass++
		}
	}
	END {
		planned = substr(plan, 4) + 0
		if (whole)
			skip++
		else if (plan == "")
			fault("no plan")
		else if (planned != results + 0)
			fault("planned " planned " results, saw " results + 0)
		else if (planned == 0)
			fault("no results")
		if (status == 124)
			fault("it took too long")
		else if (status == 125)
			fault("it left processes behind")
		else if (status >= 128)
			fault("killed by signal " status - 128)
		else if (status == 4 && !pass && !fail && skip)
			;
		else if (status != 0)
			fault("exit status " status)
		if (nr_faults > fail + 0 && !(status == 1 && fail && nr_faults == fail + 1))
			fail++
		print pass + 0, fail + 0, skip + 0
		for (i = 1; i <= nr_faults; i++)
			print faults[i]
	}' "$1"
}

# CPU time that what was started has taken, in hundredths of a second
cpu_time()
{
	local stat

	read -ra stat < "/proc/$$/stat"
	cpu=$((stat[15] + stat[16]))
}

# run_one ROOM/NAME
run_one()
{
	local room=${1%%/*} name=${1#*/} limit log status t0 t1 cpu cpu0 p f s text
	local program=$build/tests/$1

	case $name in
	*.sh) program=$tests/$1 ;;
	esac
	number=$((number + 1))
	log=$build/tests/log/$room-$name.log
	mkdir -p "${log%/*}"
	if [ ! -x "$program" ]; then
		failed=$((failed + 1))
		echo "not ok $number $1 # it was not built"
		return
	fi
	limit=$(timeout_of "$room" "$name")

	residue | sort > "$scratch/residue"
	kernel_log > "$scratch/kernel"
	cpu_time
	cpu0=$cpu
	t0=${EPOCHREALTIME/./}
	(cd "${program%/*}" && exec "$build/tests/contain" "$limit" "${yield[@]}" "$program") \
		> "$log" 2>&1 < /dev/null
	status=$?
	t1=${EPOCHREALTIME/./}
	cpu_time
	[ $status -ne 130 ] || exit 130
	kernel_log > "$scratch/kernel.after"
	{
		residue | sort | comm -13 "$scratch/residue" -
		kernel_bugs "$scratch/kernel" "$scratch/kernel.after"
	} > "$scratch/left"

	judge "$log" $status > "$scratch/verdict"
	read -r p f s < "$scratch/verdict"
	if [ -s "$scratch/left" ]; then
		f=$((f + 1))
		sed 's/^/left behind: /' "$scratch/left" >> "$scratch/verdict"
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))

	text=$(printf '%d %s # %d passed, %d failed, %d skipped, %d.%d s, CPU %d.%d s' $number "$1" $p $f $s \
		$(((t1 - t0) / 1000000)) $(((t1 - t0) / 100000 % 10)) \
		$(((cpu - cpu0) / 100)) $(((cpu - cpu0) / 10 % 10)))
	if [ $f -gt 0 ] || [ -n "$verbose" ]; then
		sed 's/^/#   /' "$log"
	else
		grep -E '# *SKIP' "$log" | sed 's/^/#   /'
	fi
	if [ $f -gt 0 ]; then
		tail -n +2 "$scratch/verdict" | sed 's/^/# FAILED: /'
		echo "not ok $text"
	else
		echo "ok $text"
	fi
}

echo "TAP version 13"
echo "1..$#"
kernel_log > /dev/null || echo "# the kernel's log cannot be read here: nobody looks for its bugs"
for test; do
	run_one "$test"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
