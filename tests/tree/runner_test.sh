#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The runner lets nothing pass that is not a pass.

. "$(dirname "$0")/lib.sh"

mkdir -p "$scratch/tests/fake"
ln -s "$TEST_BUILD/tests/contain" "$scratch/tests/contain"
cat > "$scratch/tests/fake/it" <<'EOT'
#!/bin/sh
. "$0.script"
EOT
chmod +x "$scratch/tests/fake/it"

options=()

# run SCRIPT: how the runner judges a program that does that
run()
{
	echo "$1" > "$scratch/tests/fake/it.script"
	tests/run.sh "${options[@]}" -o "$scratch" -t 1 fake/it > "$scratch/log"
	echo "status $? $(tail -n 1 "$scratch/log")"
}

# judged SENTENCE EXPECTED SCRIPT [TEXT]
judged()
{
	local got status=0

	got=$(run "$3")
	if [ "$got" != "$2" ]; then
		echo "# expected: $2"
		echo "# got:      $got"
		status=1
	fi
	if [ -n "${4:-}" ] && ! grep -q "FAILED: .*$4" "$scratch/log"; then
		echo "# not said: $4"
		status=1
	fi
	[ $status -eq 0 ] || sed 's/^/# /' "$scratch/log"
	report $status "$1"
}

good="status 0 1 passed, 0 failed, 0 skipped"
bad="status 1 0 passed, 1 failed, 0 skipped"
marred="status 1 1 passed, 1 failed, 0 skipped"
shm=/dev/shm/equant-runner-test.$$

plan 26
judged "a passing program passes" "$good" 'echo 1..1; echo ok 1 it'
judged "a result written twice by a forked child counts once" "$good" \
	'echo 1..1; echo ok 1 it; echo ok 1 it'
judged "a failing result fails" "$bad" 'echo 1..1; echo not ok 1 it; exit 1'
judged "a failing result fails in spite of the exit status" "$bad" 'echo 1..1; echo not ok 1 it'
judged "an exit status fails in spite of the results" "$marred" \
	'echo 1..1; echo ok 1 it; exit 3' "exit status 3"
judged "a missing plan is a failure" "$marred" 'echo ok 1 it' "no plan"
judged "a missing result is a failure" "$marred" 'echo 1..2; echo ok 1 it' \
	"planned 2 results, saw 1"
judged "a surplus result is a failure" "status 1 2 passed, 1 failed, 0 skipped" \
	'echo 1..1; echo ok 1 it; echo ok 2 it' "planned 1 results, saw 2"
judged "contradicting results are a failure" "$marred" \
	'echo 1..1; echo ok 1 it; echo not ok 1 it' "two results 1"
judged "a silent program is a failure" "$bad" 'exit 0' "no plan"
judged "an expected failure is a failure" "$bad" 'echo 1..1; echo "ok 1 # XFAIL it"'
judged "so is one of work to be done" "$bad" 'echo 1..1; echo "ok 1 # TODO it"'
judged "a signal is a failure" "$marred" 'echo 1..1; echo ok 1 it; kill -SEGV $$' "signal 11"
judged "too long a run is a failure" "$marred" 'echo 1..1; echo ok 1 it; sleep 20' "too long"
judged "bailing out is a failure" "$bad" 'echo 1..1; echo "Bail out! no"; exit 1' "Bail out"
judged "a process left behind is a failure" "$marred" \
	'echo 1..1; echo ok 1 it; setsid sleep 20 & sleep 0.1' "left processes behind"
judged "shared memory left behind is a failure" "$marred" \
	"echo 1..1; echo ok 1 it; echo > $shm" "shared memory: $shm"
rm -f "$shm"
judged "a skipped result is counted as skipped" "status 0 0 passed, 0 failed, 1 skipped" \
	'echo 1..1; echo "ok 1 # SKIP no it"; exit 0'
judged "a skipped program is counted as skipped" "status 0 0 passed, 0 failed, 1 skipped" \
	'echo "1..0 # SKIP no it"; exit 4'

options=(-a)
judged "aside, a failing result fails" "$bad" 'echo 1..1; echo not ok 1 it; exit 1'
judged "aside, a program leaves the CPU to others" "$good" 'echo 1..1
	[ "$(nice)" -eq 19 ] || echo not ok 1 nice
	[ "$(id -u)" -ne 0 ] || [ ! -s /proc/self/autogroup ] ||
		grep -q " nice 19$" /proc/self/autogroup ||
		echo not ok 1 autogroup
	echo ok 1 it'
judged "aside, what others leave meanwhile is not taken for the program's" "$good" \
	"echo 1..1; echo ok 1 it; echo > $shm"
rm -f "$shm"
options=(-f 4)
judged "a slow machine has a multiple of the time" "$good" 'sleep 1.5; echo 1..1; echo ok 1 it'
options=()

# A tree whose tests wait: as many results as there are parts.
checked=$scratch/checked
mkdir -p "$checked/tests/tree" "$checked/bin" "$checked"/build/tests/{bpf,mpi,vm}
ln -s "$TEST_BUILD/tests/contain" "$checked/build/tests/contain"
ln -s "$PWD/tests/run.sh" "$PWD/tests/check.sh" "$checked/tests"
cat > "$checked/bin/make" <<'EOT'
#!/bin/sh
case "$*" in
*list-tests) echo bpf/it mpi/it tree/style_test.sh vm/it
esac
EOT
cat > "$checked/tests/tree/style_test.sh" <<'EOT'
#!/bin/sh
[ ! -e "$TEST_BUILD/wait" ] || { echo $$ >> "$TEST_BUILD/pids"; sleep 50; }
echo 1..1
echo ok 1 it
EOT
chmod +x "$checked/bin/make" "$checked/tests/tree/style_test.sh"
for part in mpi vm; do
	cp "$checked/tests/tree/style_test.sh" "$checked/build/tests/$part/it"
done
sed /sleep/d "$checked/tests/tree/style_test.sh" > "$checked/build/tests/bpf/it"
chmod +x "$checked/build/tests/bpf/it"

check()
{
	PATH=$checked/bin:$PATH exec "$checked/tests/check.sh" > "$scratch/log" 2>&1
}

adds_up()
{
	(check) && [ "$(tail -n 1 "$scratch/log")" = "4 passed, 0 failed, 0 skipped" ]
}
succeeds "a check is the sum of its parts" adds_up

# One is over, two wait beside each other, and the last has not begun.
ends()
{
	local check pid status

	touch "$checked/build/wait"
	check &
	check=$!
	for _ in $(seq 200); do
		[ "$(wc -l < "$checked/build/pids" 2> /dev/null || echo 0)" -lt 2 ] || break
		sleep 0.05
	done
	kill -TERM $check
	wait $check
	status=$?
	mapfile -t pids < "$checked/build/pids"
	[ $status -eq 130 ] && [ ${#pids[@]} -eq 2 ] || return 1
	for pid in "${pids[@]}"; do
		! kill -0 "$pid" 2> /dev/null || return 1
	done
}
succeeds "a check that is interrupted leaves nothing running" ends

rm "$scratch/tests/fake/it"
judged "a program that was not built is a failure" "$bad" ''
finish
