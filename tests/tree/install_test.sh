#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# What is installed can be used as equant.pc says, and be removed again.

. "$(dirname "$0")/lib.sh"

dest=$scratch/root
installed=$dest/opt/equant

put()
{
	build gcc CC=gcc DESTDIR="$dest" PREFIX=/opt/equant libdir=/opt/equant/lib64 "$1"
}

# The flags as a package in that prefix would give them.
flags()
{
	PKG_CONFIG_PATH=$installed/lib64/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dest \
		pkg-config "$@" equant
}

program()
{
	cat > "$scratch/program.c" <<-EOT
		#include <equant/balance.h>

		int main(void)
		{
			const double rates[2] = { 1, 3 };
			long units[2];

			return equant_distribute(rates, 2, 8, 0, units) || units[1] != 6;
		}
	EOT
}

# use FLAGS...: compile against what is installed, and run it
use()
{
	# shellcheck disable=SC2046
	gcc -Wall -Werror -o "$scratch/program" "$scratch/program.c" $(flags --cflags --libs) "$@" &&
		LD_LIBRARY_PATH=$installed/lib64 "$scratch/program"
}

use_static()
{
	# shellcheck disable=SC2046
	gcc -Wall -Werror -o "$scratch/program" "$scratch/program.c" $(flags --cflags) \
		"$installed/lib64/libequant.a" -lm && "$scratch/program"
}

needed()
{
	objdump -p "$scratch/program" | grep -q 'NEEDED *libequant.so.0$'
}

complete()
{
	local file

	for file in bin/equant libexec/equant/load include/equant/abi.h lib64/libequant.so \
			lib64/libequant.so.0 lib64/libequant.a lib64/pkgconfig/equant.pc; do
		[ -e "$installed/$file" ] || echo "missing: $file"
	done
}

remaining()
{
	find "$dest" ! -type d
}

plan 8
program
succeeds "make install succeeds" put install
silent "everything is installed" complete
succeeds "pkg-config gives flags that compile, link and run a program" use
succeeds "that program needs the library by its soname" needed
succeeds "the static library serves a program that knows no MPI" use_static
succeeds "the installed command runs" "$installed/bin/equant" help
succeeds "make uninstall succeeds" put uninstall
silent "nothing is left afterwards" remaining
finish
