#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Schedules that are carried out.  For each family measured over planned makespan, and the greater of
# that and its inverse: of two ranks that compute, and of four unlike hosts whose tasks wait for a time
# and whose links carry one message at a time, both ways.  Then two ranks beside a process that never
# rests, which comes at a quarter of the run: planning anew over holding on.
#
# A job that fails or hangs is named, and the others are measured all the same.  What each planned
# and executed is kept in $out/dag_run.

. "$(dirname "$0")/lib.sh"

program=$TEST_BUILD/tests/bench/dag_run
families=(fork join fork-join fft gauss lu)
hosts=$bench/../hosts/hosts
failed=
: > "$out/$item.figures"

cat > "$out/$item/channels.net" <<'EOF'
ranks 4
usual bandwidth 20e6
link 0 1 bandwidth 40e6
link 2 3 bandwidth 10e6
EOF

# job SECONDS NAME COMMAND...: into the file NAME, and its schedules into the folder NAME
job()
{
	local seconds=$1

	shift
	mkdir -p "$out/$item/$1"
	timeout -k 5 "$seconds" "${@:2}" > "$out/$item/$1.txt" 2> "$out/$item/$1.log" < /dev/null &&
		return
	echo "$item: $1 failed or did not end within $seconds s:" >&2
	cat "$out/$item/$1.log" >&2
	failed=1
}

# keep ROUND NAME [VARIANT]: the figures of a job; without VARIANT one for each family
keep()
{
	local family planned measured messages plans

	while read -r family planned measured messages plans; do
		printf '%s\t%s\tplanned=%s\tmeasured=%s\toff=%s\tmessages=%s\tplans=%s\n' \
			"$1" "${3:-${2}_${family/-/_}}" "$planned" "$measured" \
			"$(awk -v a="$planned" -v b="$measured" \
				'BEGIN { printf "%.6g", (a > b ? a / b : b / a) }')" \
			"$messages" "$plans" >> "$raw"
	done < "$out/$item/$2.txt"
}

# two_ranks SECONDS NAME WORDS...
two_ranks()
{
	local words=("$program" "$3" "$out/$item/$2" "${@:4}")

	job "$1" "$2" mpirun --bind-to none -np 1 taskset -c "$cpu_a" "${words[@]}" : \
		-np 1 taskset -c "$cpu_b" "${words[@]}"
}

four_hosts()
{
	# shellcheck disable=SC2016
	job 30 hosts "$hosts" -c "$out/$item/channels.net" sh -c \
		'mpirun --oversubscribe --bind-to none --host "$HOSTS" "$@"' sh \
		"$program" plan "$out/$item/hosts" yes "${families[@]}" wait
}

missing=
[ "$(id -u)" -eq 0 ] || missing="several hosts on one machine need root"
[ -n "$missing" ] || missing=$("$hosts" -c "$out/$item/channels.net" true 2>&1)

for round in $(seq "$rounds"); do
	for overlap in no progress; do
		two_ranks 30 $overlap plan $overlap "${families[@]}"
		keep "$round" $overlap
	done
	[ -n "$missing" ] || four_hosts
	[ -n "$missing" ] || keep "$round" hosts
	for family in fork-join lu; do
		for competitor in none stay leave; do
			for how in hold replan; do
				name=${family/-/_}_${competitor}_$how
				two_ranks 12 "$name" compete "$family" $competitor $how
				keep "$round" "$name" "$name"
			done
		done
	done
done

# planned KIND TEXT
planned()
{
	local family t

	for family in "${families[@]}"; do
		t=$1_${family/-/_}
		judge "$family, $2: measured / planned" "$t.measured/$t.planned"
		judge "$family, $2: over or under" "$t.off" '<=' 1.1
	done
}

planned no "overlap no"
planned progress "overlap progress"
[ -n "$missing" ] || planned hosts "four hosts"
[ -z "$missing" ] || echo "$item: left out on four hosts: $missing" | tee -a "$out/$item.figures"
for family in fork-join lu; do
	t=${family/-/_} goal=1.15
	[ $family = lu ] || goal=1.25
	judge "$family, nobody comes: measured / planned" "${t}_none_hold.measured/${t}_none_hold.planned"
	judge "$family, nobody comes: planning anew / holding on" \
		"${t}_none_replan.measured/${t}_none_hold.measured"
	judge "$family, it stays: holding on / planning anew" \
		"${t}_stay_hold.measured/${t}_stay_replan.measured" '>=' $goal
	judge "$family, it stays: new plans" "${t}_stay_replan.plans"
	judge "$family, it leaves: planning anew / holding on" \
		"${t}_leave_replan.measured/${t}_leave_hold.measured" '<=' 1.03
	judge "$family, it leaves: new plans" "${t}_leave_replan.plans"
done
[ -z "$failed" ]
