#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Each public header compiles alone, as C and as C++.

. "$(dirname "$0")/lib.sh"

headers=(userlib/include/equant/*.h)
warn="-Wall -Wextra -Wpedantic -Werror"

# alone LANGUAGE COMPILER STANDARD HEADER
alone()
{
	# shellcheck disable=SC2046,SC2086
	printf "#include <equant/%s>\nextern int not_empty;\n" "${4##*/}" | $2 -std=$3 $warn -Iuserlib/include \
		$(config MPI_CFLAGS | sed 's/-I/-isystem /g') -fsyntax-only -x "$1" -
}

plan $((2 * ${#headers[@]}))
for header in "${headers[@]}"; do
	name=${header##*/}
	if [ "$(config HAVE_MPI)" != 1 ] && grep -q '<mpi.h>' "$header"; then
		skip "$name compiles alone as C11" "no MPI"
		skip "$name compiles alone as C++11" "no MPI"
		continue
	fi
	silent "$name compiles alone as C11" alone c gcc c11 "$header"
	if command -v g++ > /dev/null; then
		silent "$name compiles alone as C++11" alone c++ g++ c++11 "$header"
	else
		skip "$name compiles alone as C++11" "no g++"
	fi
done
finish
