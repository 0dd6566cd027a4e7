#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Build everything and run every test: tests/check.sh [-v] [-o BUILD]
# The last line is always "N passed, N failed, N skipped".

set -u
cd "$(dirname "$0")/.." || exit 1
build=build
verbose=
while getopts vo: option; do
	case $option in
	v) verbose=-v ;;
	o) build=$OPTARG ;;
	*) exit 2 ;;
	esac
done

# The jobs of an outer make are not ours to take.
unset MAKEFLAGS MFLAGS MAKELEVEL
make() { command make --no-print-directory O="$build" "$@"; }

# Each part is a process group of its own: when this is interrupted, those that are there end, and
# what they have started with them.
declare -A groups=()
start()
{
	set -m
	"$@" < /dev/null &
	set +m
	groups[$!]=1
}

# Unlike a command, waiting can be interrupted.
finish()
{
	local status

	wait "$1"
	status=$?
	unset "groups[$1]"
	return $status
}

run()
{
	start "$@"
	finish $!
}

end_all()
{
	local group

	for group in "${!groups[@]}"; do
		kill -TERM -- "-$group" 2> /dev/null
	done
	for group in "${!groups[@]}"; do
		for _ in $(seq 100); do
			kill -0 -- "-$group" 2> /dev/null || break
			sleep 0.1
		done
	done
}
trap end_all EXIT
trap 'exit 130' INT TERM HUP

if ! run make setup "$build/tests/contain"; then
	echo "0 passed, 1 failed, 0 skipped"
	exit 1
fi
# The guests' kernels come meanwhile; what is missing then, they say.
mkdir -p "$build/tests/log"
start tools/build/kernels.sh "${KERNELS:-$build/kernels}" > "$build/tests/log/kernels" 2>&1
kernels=$!
# A part that does not build does not hide the state of the others; its tests
# fail, and so does tests/tree/compilers_test.sh.
run make -k -j"$(nproc)" all tests
finish $kernels

# Those that compile, read, boot, compute or compare results take minutes of CPU time, leave nothing in the machine
# and do not mind when they get it: what the jobs of ranks, which often wait, and the guests, which emulate
# their own time, leave over: two of them at once, but of those that compile into the build one.  Those do not
# mind who waits for that.  What measures this machine has it to itself;
# so have jobs of several sessions, one of which a scheduler may let stand for seconds beside busy ones.
compiling=() aside=() alone=() beside=() guests=()
if ! names=$(make -s list-tests) || [ -z "$names" ]; then
	echo "0 passed, 1 failed, 0 skipped"
	exit 1
fi
for name in $names; do
	case $name in
	balance/optimisation_test.sh | fortran/fortran_test.sh | tree/compilers_test.sh | tree/headers_test.sh | \
		tree/howto_test.sh | tree/install_test.sh | tree/sanitizers_test.sh) compiling+=("$name") ;;
	balance/* | bench/* | dag/* | gemr2d/* | loop/* | model/* | mpi/apps_test | mpi/results_test | plan/* | \
		redist/* | tools/figure_test.sh | tree/style_test.sh | vm/guest_test.sh) aside+=("$name") ;;
	bpf/* | hosts/network_test.sh | hosts/refresh_test.sh | kmod/* | mpi/nodes_test | probe/* | \
		tools/kmod_test.sh | tools/load_test.sh | tools/run_test.sh | tools/top_test.sh) alone+=("$name") ;;
	vm/*) guests+=("$name") ;;
	*) beside+=("$name") ;;
	esac
done

logs=$build/tests/log
mkdir -p "$logs"
shown()
{
	local log=$logs/$1

	shift
	tests/run.sh $verbose -o "$build" "$@" 2>&1 | tee "$log"
}

# tell PART [OPTION...] TEST...: in the background; prints nothing before it is heard
declare -A told=()
tell()
{
	local part=$1

	shift
	start tests/run.sh $verbose -o "$build" "$@" > "$logs/$part" 2>&1
	told[$part]=$!
}
hear()
{
	finish "${told[$1]}"
	cat "$logs/$1"
}

run shown alone "${alone[@]}"
tell compiling -a -f 6 "${compiling[@]}"
tell aside -a -f 6 "${aside[@]}"
run shown beside "${beside[@]}"
for name in "${guests[@]}"; do
	tell "${name##*/}" "$name"
done
for part in "${guests[@]##*/}" compiling aside; do
	hear "$part"
done

parts=(alone compiling aside beside "${guests[@]##*/}")
# Once more what failed and why, for whoever sees but the end of this.
grep -hE '^not ok|^# FAILED: |:(Expected|Assertion) ' "${parts[@]/#/"$logs"/}" | sed 's/^#* */# at fault: /' |
	head -n 40
tail -qn 1 "${parts[@]/#/"$logs"/}" | awk -v "wanted=${#parts[@]}" '
	/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ {
		passed += $1
		failed += $3
		skipped += $5
		parts++
	}
	END {
		failed += wanted - parts # which did not come to their ends
		print passed + 0 " passed, " failed " failed, " skipped + 0 " skipped"
		exit failed > 0
	}'
