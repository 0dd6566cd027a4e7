# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=bash
#
# TAP for shell tests, in the words of the kernel's ktap_helpers.sh.

set -u
: "${TEST_SOURCE:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${TEST_BUILD:=$TEST_SOURCE/build}"
LINUX=$TEST_BUILD/linux
BASH_ARGV0=$(readlink -f "$0") # $0 stays true in the folder below
cd "$TEST_SOURCE" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL

result=0 number=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# plan COUNT
plan()
{
	echo "TAP version 13"
	echo "1..$1"
}

# report STATUS SENTENCE: 0 is ok, 4 is skipped, anything else is not ok
report()
{
	number=$((number + 1))
	case $1 in
	0) echo "ok $number $2" ;;
	4) echo "ok $number $2 # SKIP ${3:-}" ;;
	*)
		echo "not ok $number $2"
		result=1
		;;
	esac
}

# listing NAME DOCUMENT: the block with :name: NAME, without its indentation and the blank lines
# around it, becomes $scratch/NAME
listing()
{
	awk -v name="$1" '
		$1 == ":name:" { inside = $2 == name; next }
		inside && /^[^ \t]/ { exit }
		inside && $0 == "" { blank = blank "\n"; next }
		inside { sub(/^\t/, ""); print (text ? blank : "") $0; text = 1; blank = "" }' \
		"Documentation/$2" > "$scratch/$1"
	[ -s "$scratch/$1" ] || echo "no listing $1 in $2"
}

# silent SENTENCE COMMAND...: ok when it succeeds and prints nothing
silent()
{
	local sentence=$1 status

	shift
	"$@" > "$scratch/output" 2>&1
	status=$?
	[ ! -s "$scratch/output" ] || status=1
	[ $status -eq 0 ] || sed 's/^/# /' "$scratch/output"
	report $status "$sentence"
}

# succeeds SENTENCE COMMAND...: ok when it succeeds
succeeds()
{
	local sentence=$1 status

	shift
	"$@" > "$scratch/output" 2>&1
	status=$?
	[ $status -eq 0 ] || sed 's/^/# /' "$scratch/output"
	report $status "$sentence"
}

skip()
{
	report 4 "$1" "$2"
}

finish()
{
	exit $result
}

# config NAME: a value that was detected
config()
{
	sed -n "s/^$1 := *//p" "$TEST_BUILD/config.mk"
}

# build FOLDER MAKE-ARGUMENT...: build in a folder of its own below the build
build()
{
	local folder=$1

	shift
	make -s -j"$(nproc)" O="$TEST_BUILD/$folder" LINUX="$LINUX" "$@" 2>&1
}

# Files of ours, from the tree, not from the build; git is not needed.
sources()
{
	find bpf kmod userlib apps tools tests -name "$1" -type f | sort
}
