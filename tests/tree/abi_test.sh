#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The library exports what its headers promise, and nothing else.

. "$(dirname "$0")/lib.sh"

headers=(userlib/include/equant/*.h)

map_names()
{
	sed -n 's/^[[:space:]]*\(equant_[a-z0-9_]*\);$/\1/p' userlib/libequant.map | sort
}

header_names()
{
	tools/build/symbols.sh "${headers[@]}"
}

# Without MPI the library lacks a part that the headers have.
exported_names()
{
	nm -D --defined-only "$TEST_BUILD/libequant.so" |
		sed -n 's/^[0-9a-f]* [A-Z] \([^@]*\).*/\1/p' | grep -vx 'EQUANT_[0-9.]*' | sort
}

same()
{
	diff -u --label "$1" --label "$2" <("$3") <("$4")
}

prefixed()
{
	nm --defined-only --extern-only "$TEST_BUILD/libequant.a" 2> /dev/null |
		sed -n 's/^[0-9a-f]* [A-Z] //p' | grep -v '^equant_'
	return 0
}

# Constant tables of pointers are in .data.rel.ro, which the loader makes read-only.
stateless()
{
	objdump -t "$TEST_BUILD/libequant.a" |
		awk '/file format/ { file = $1 }
		     / O (\.t?data|\.t?bss|\*COM\*)/ && !/ \.data\.rel\.ro/ { print file, $NF }'
}

undefined()
{
	local room

	for room in "$TEST_BUILD"/userlib/*/; do
		case $room in
		*/core/ | */control/ | */loop/ | */engine/ | */fortran/ | */gemr2d/ | */preload/) continue ;;
		esac
		nm -A --undefined-only "$room"*.o | grep -E ' U P?MPI_'
	done
	return 0
}

# Sentinels of MPI, as MPI_IN_PLACE, are common blocks and everybody's.
foreign()
{
	nm -D --defined-only "$TEST_BUILD/libequant_fortran.so" |
		sed -n 's/^[0-9a-f]* [A-Z] //p' | grep -vE '^(equant_fortran_|__equant_|mpi_fortran_)'
	return 0
}

# Nothing but what it replaces: everything that ScaLAPACK's library has of that name.
replaced()
{
	nm -D --defined-only "$TEST_BUILD/libequant_gemr2d.so" | sed -n 's/^[0-9a-f]* [A-Z] //p' | sort
}

expected()
{
	printf '%s\n' {Cp{s,d,c,z,i}gemr2d{,o},p{s,d,c,z,i}gemr2d{,o}_} | sort
}

# Each in C, and by both names in Fortran.
preloaded()
{
	nm -D --defined-only "$TEST_BUILD/libexec/equant/libequant_profile.so" | sed 's/.* //' | sort > "$scratch/preloaded"
	{
		sed -n 's/^MPI_CALL(\([A-Za-z_]*\),.*/\1/p' userlib/preload/calls.h
		printf '%s\n' Init Init_thread Abort Finalize
	} | while read -r name; do
		printf '%s\n' "MPI_$name" "mpi_${name,,}_" "mpi_${name,,}_f08_"
	done | cat - <(printf 'mpi_win_allocate%s_cptr_\n' '' _shared) | sort | diff - "$scratch/preloaded"
}

# What MPI has not it cannot be handed on to; nor are its arguments told from those of a program in C.
behind()
{
	ldd "$TEST_BUILD/tests/fortran/calls_f08_worker" | sed -n 's/.* => \(.*libmpi[^ ]*\) .*/\1/p' |
		xargs nm -D --defined-only | sed -n 's/^[0-9a-f]* [A-Z] //p' | sort -u |
		comm -23 "$scratch/preloaded" -
	tr -d '\n\t' < userlib/preload/calls.h | sed 's/MPI_CALL(/\n&/g' | awk '
		/^MPI_CALL\([A-Z][A-Za-z_]*, [a-z_]+, [0-9]/ {
			count = $0
			sub(/^[^,]*,[^,]*, */, "", count)
			strings = gsub(/const char \*|char \*|char \*\*/, "&")
			arguments = $0
			sub(/.*\(/, "", arguments)
			if (count + 0 != split(arguments, parts, ",") + 1 + strings)
				print
		}'
}

plan 10
silent "the version script lists what the headers mark EQUANT_API" \
	same headers userlib/libequant.map header_names map_names
if [ "$(config HAVE_MPI)" = 1 ]; then
	silent "the shared library exports what the version script lists" \
		same userlib/libequant.map libequant.so map_names exported_names
else
	skip "the shared library exports what the version script lists" "built without MPI"
fi
silent "every symbol of the library begins with equant_" prefixed
silent "the library has no global that can change" stateless
silent "the rooms that are to be pure call no MPI" undefined
silent "the soname is libequant.so.0" sh -c \
	"objdump -p '$TEST_BUILD/libequant.so' | grep -q 'SONAME *libequant.so.0\$'"
if [ "$(config HAVE_FORTRAN)" = 1 ] && [ "$(config HAVE_MPI)" = 1 ]; then
	silent "the Fortran library exports module equant and nothing else" foreign
else
	skip "the Fortran library exports module equant and nothing else" "no Fortran"
fi
if [ "$(config HAVE_SCALAPACK)" = 1 ] && [ "$(config HAVE_MPI)" = 1 ]; then
	silent "the library that replaces p?gemr2d exports these and nothing else" \
		same names libequant_gemr2d.so expected replaced
else
	skip "the library that replaces p?gemr2d exports these and nothing else" "no ScaLAPACK"
fi
if [ "$(config HAVE_MPI)" = 1 ]; then
	silent "the library that is loaded before programs exports calls of MPI and nothing else" preloaded
	if [ "$(config HAVE_FORTRAN)" = 1 ]; then
		silent "... each of which MPI has, with as many arguments" behind
	else
		skip "... each of which MPI has, with as many arguments" "no Fortran"
	fi
else
	skip "the library that is loaded before programs exports calls of MPI and nothing else" "no MPI"
	skip "... each of which MPI has, with as many arguments" "no MPI"
fi
finish
