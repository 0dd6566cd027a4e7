#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Run tests in a guest and hand on every single result:
#
#	guest.sh VERSION [ROOM/NAME...]
#
# Options in the environment: GUEST_SECONDS, the limit of the whole; GUEST_EXACT=CPUS, a
# guest whose clock counts instructions (boot.sh -i -c CPUS); GUEST_BARE=1, one without the module.
#
# VERSION is 6.1 or 6.12, or 6.1-debug or 6.12-debug (tools/build/debug_kernels.sh); without
# names, the tests that are about the kernel, with GUEST_FULL=1 also those that take
# long.  What a program says is shown when it failed.  The last two results are about
# the guest's log and its end.  Where there can be no guest, all is skipped, with the
# reason.

. "$(dirname "$0")/../tree/lib.sh"

version=$1
shift
kernel=${KERNELS:-$TEST_BUILD/kernels}/$version
console=$TEST_BUILD/vm/$version/console
limit=${GUEST_SECONDS:-$([ -n "${GUEST_FULL:-}" ] && echo 1800 || echo 600)}
checks=(W=1 C=1) memory=1536
if [[ $version == *-debug ]]; then # what it is told to watch takes time and memory
	checks=() memory=4096 limit=$((4 * limit))
fi

skip_all()
{
	echo "1..0 # SKIP $(echo "$1" | paste -sd ';')"
	exit 4
}

maker()
{
	[[ $version == *-debug ]] && echo tools/build/debug_kernels.sh || echo tools/build/kernels.sh
}

lacking=$(tests/vm/boot.sh "$kernel" --missing | grep -v '^no kernel')
[ -z "$lacking" ] || skip_all "$lacking"
"$(maker)" "${kernel%/*}" "${version%-debug}" > "$scratch/kernels" 2>&1 ||
	skip_all "no kernel $version: $(tail -n 1 "$scratch/kernels")"

# For this kernel, and again only if something changed.
build_module()
{
	make --no-print-directory O="$TEST_BUILD" modules KDIR="$kernel/build" "${checks[@]}" \
		> "$scratch/module" 2>&1 || { tail -n 20 "$scratch/module"; return 1; }
	grep -E 'kmod/[^ ]*: |warning:|error:' "$scratch/module" || return 0
	# Who has nothing left to compile says nothing the next time.
	rm -f "$TEST_BUILD/modules/$(cat "$kernel/release")"/kmod/*.o
	return 1
}

# What the kernel says when something is wrong with it.
complaints()
{
	grep -aE 'BUG:|kernel BUG at|WARNING:|Oops|general protection fault|Kernel panic|UBSAN:|KASAN:|KCSAN:|INFO: task .* blocked|possible (circular|recursive|irq lock|deadlock)|suspicious RCU|inconsistent lock|detected stalls|self-detected stall|kthread starved|soft lockup|scheduling while atomic|sleeping function called|unreferenced object|bad unlock balance|held lock freed' \
		"$console"
}

# See hold_worker.c: what remains of it while the guest boots, and elsewhere.
emulator_lost_a_breakpoint()
{
	grep -qaE 'Oops: int3|int3: 0000' "$console"
}

boot()
{
	tests/vm/boot.sh ${GUEST_EXACT:+-i -c "$GUEST_EXACT"} -t "$limit" -m "$memory" "$kernel" \
		tests/vm/inside.sh "$@" > "$scratch/tap" 2>&1
}

# The results in the programs' results, numbered anew.
unfold()
{
	awk -v wanted="$*" '
	function result(verdict, text) { print verdict, ++number, text }
	function flush_comments(	i) {
		for (i = 1; i <= nr_comments; i++)
			print comment[i]
	}
	function program(verdict, name,	i, failed) {
		seen[name] = 1
		for (i = 1; i <= nr_results; i++) {
			failed += results[i] ~ /^not /
			match(results[i], /^(not )?ok [0-9]* */)
			result(results[i] ~ /^not / ? "not ok" : "ok",
			       name ": " substr(results[i], RLENGTH + 1))
		}
		if (verdict == "not ok") {
			if (!failed)
				result("not ok", name " as a whole")
			flush_comments()
		} else if (nr_results == 0) {
			result("ok", name " " (skipped ? skipped : "# SKIP no results"))
		}
		nr_results = nr_comments = skipped = 0
	}
	/^#   (not )?ok / { results[++nr_results] = substr($0, 5); next }
	/^#   1\.\.0 .*SKIP/ { skipped = substr($0, index($0, "SKIP") - 2) }
	/^#   1\.\./ { next }
	/^(not )?ok [0-9]+ / {
		program($1 == "ok" ? "ok" : "not ok", $1 == "ok" ? $3 : $4)
		print "# " $0
		next
	}
	/^TAP version/ || /^1\.\./ { next }
	/^[0-9]+ passed, / || /^#   #  (RUN|          OK) / { next }
	{ comment[++nr_comments] = /^#/ ? $0 : "# " $0 }
	END {
		flush_comments()
		n = split(wanted, name, " ")
		for (i = 1; i <= n; i++)
			if (!(name[i] in seen))
				result("not ok", name[i] ": the guest did not come to its end")
		print number + 0 > "/dev/stderr"
	}' "$scratch/tap" 2> "$scratch/number"
	number=$(tail -n 1 "$scratch/number")
}

# Those that are about the kernel's part; the rest does not care which kernel runs it.
# Loading the probe takes seconds there, and a job a minute, so that not all of them are for every day on
# every kernel.
if [ $# -eq 0 ]; then
	job=vm/job.sh
	[ "$version" != 6.1 ] || job=${GUEST_FULL:+$job}
	mapfile -t module < <(find tests/kmod -name '*_test.c' | sort)
	module=("${module[@]#tests/}")
	set -- bpf/closed_test.sh bpf/limits_test bpf/crowd_guest bpf/probe_test bpf/shares_test \
		bpf/shares_guest ${GUEST_FULL:+bpf/settings_guest} ${GUEST_FULL:+bpf/load_test} \
		"${module[@]%.c}" ${job:+"$job"} ${GUEST_FULL:+vm/top.sh}
fi

echo "TAP version 13"
built=
if [ -z "${GUEST_BARE:-}" ]; then
	build_module > "$scratch/messages"
	built=$?
fi
boot "$@"
status=$?
if emulator_lost_a_breakpoint; then
	echo "# the emulator lost a breakpoint while the kernel changed itself; once more"
	boot "$@"
	status=$?
fi
unfold "$@"

if [ -n "$built" ]; then
	sed 's/^/# /' "$scratch/messages"
	report "$built" "the module builds for kernel $(cat "$kernel/release") without a message"
fi
complaints > "$scratch/complaints"
sed 's/^/# /' "$scratch/complaints"
[ ! -s "$scratch/complaints" ]
report $? "the log of kernel $(cat "$kernel/release") holds no complaint"
[ $status -eq 0 ] || [ $status -eq 1 ] || echo "# boot.sh: exit status $status"
[ $status -eq 0 ] || result=1
[ $status -le 1 ]
report $? "the guest ends by itself"
echo "1..$number"
finish
