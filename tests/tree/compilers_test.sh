#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Everything compiles without a warning, whatever compiles it and whatever is missing.

. "$(dirname "$0")/lib.sh"

plan 8
# What is tested is gcc's, with warnings as errors, unless another compiler is asked for: what of it is missing did
# not build.
by_gcc()
{
	if [ "$(cut -d ' ' -f 1 "$TEST_BUILD/.detect")" = gcc ]; then
		make -s O="$TEST_BUILD" CC=gcc all tests
	else
		copy gcc && build gcc CC=gcc all tests
	fi
}
succeeds "gcc builds everything without a warning" by_gcc

# copy FOLDER [OBJECTS]: what has been detected and generated
copy()
{
	local to=$TEST_BUILD/$1

	rm -rf "$to" && mkdir "$to" && (
		cd "$TEST_BUILD" && shopt -s nullglob
		cp -a .[a-z]* config.mk include skel* bpf* fortran* "$to" && [ -z "${2:-}" ] ||
			find userlib tools apps tests -name '*.[od]' -print0 |
			xargs -0 cp -a --parents -t "$to"
	) && find "$to" -name '*.d' -print0 |
		xargs -0 sed -i "s,${TEST_BUILD#"$TEST_SOURCE"/}/,&$1/,g"
}

# By far most of the time clang takes to begin with a file.  One process of its can make the objects of many,
# each beside its source, if it is called as clang calls itself; what is missing then, make makes.
beforehand()
{
	local to=$TEST_BUILD/clang flags command

	copy clang && cp -as "$TEST_SOURCE"/{userlib,tools,apps,tests} "$to" &&
		by_clang "${to#"$TEST_SOURCE"/}/.flags" && by_clang -n all tests > "$scratch/commands" || return 1
	awk '
		/\\$/ { line = line substr($0, 1, length - 1); next }
		{ $0 = line $0; line = "" }
		/ -c -o [^ ]*\.o [^ ]*\.c$/ && !/ -target bpf / {
			source = $NF
			sub(/^.*&& clang /, "")
			sub(/ -c -o .*/, "")
			gsub(/-M(MD|P)|-M[TF] *[^ ]*/, "")
			gsub(/[ \t]+/, " ")
			print $0 "\t" source
		}' "$scratch/commands" > "$scratch/sources"
	while IFS= read -r flags; do
		awk -F '\t' -v "flags=$flags" -v "to=$to/" '$1 == flags { print to $2 }' \
			"$scratch/sources" > "$scratch/alike"
		command=$(eval "clang -c $flags" '"-###" "$scratch/file.c"' 2>&1 | tail -n 1 | sed 's/ "-o" "[^"]*"//')
		eval "set -- ${command% *}"
		tr '\n' '\0' < "$scratch/alike" | xargs -0 -n 40 -P "$(nproc)" "$@" || return 1
	done < <(cut -f 1 "$scratch/sources" | sort -u)
}
by_clang()
{
	# Its warnings come without optimisation, too, in half of the time.
	build clang CC=clang CFLAGS=-O0 "$@"
}
if command -v clang > /dev/null; then
	touch "$scratch/file.c"
	beforehand > "$scratch/beforehand" 2>&1 || sed 's/^/# /' "$scratch/beforehand"
	succeeds "clang builds everything without a warning" by_clang all tests
else
	skip "clang builds everything without a warning" "no clang"
fi
# What does not ask whether something is there is compiled as it is with it, and so it has been already.
succeeds "what there is can be left out again" copy without objects
# without SYMBOL VARIABLE...: and no file that did not ask needs what is not there
without()
{
	local symbol=$1 needed

	shift
	build without "$@" all || return 1
	needed=$(nm -u "$TEST_BUILD/without/libequant.so" "$TEST_BUILD/without/bin/equant") || return 1
	! grep -E "U $symbol" <<< "$needed"
}
succeeds "it builds without MPI" without 'P?MPI_' HAVE_MPI=0
succeeds "it builds without Fortran and ScaLAPACK" build without HAVE_FORTRAN=0 HAVE_SCALAPACK=0 all
succeeds "it builds without BPF" without 'bpf_' HAVE_BPF=0
succeeds "it builds without io_uring" without 'io_uring_' HAVE_LIBURING=0
succeeds "it builds with none of them" build without HAVE_MPI=0 HAVE_FORTRAN=0 HAVE_SCALAPACK=0 \
	HAVE_BPF=0 HAVE_LIBURING=0 all tests
finish
