#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# What is installed can be used as equant.pc says, and be removed again.

. "$(dirname "$0")/lib.sh"

dest=$scratch/root
installed=$dest/opt/equant

# What is installed is what is tested, in a folder where it may have another prefix.  What is not copied
# is built.
copy()
{
	rm -rf "$TEST_BUILD/gcc" && mkdir "$TEST_BUILD/gcc" &&
		cp -a "$TEST_BUILD"/.[a-z]* "$TEST_BUILD"/*.* \
			"$TEST_BUILD"/{apps,bin,bpf,fortran,include,libexec,skel,tools,userlib} \
			"$TEST_BUILD/gcc" 2> /dev/null
}

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

# A Fortran program against what is installed, with MPI's own variables in the program.
fortran_program()
{
	cat > "$scratch/fortran.f90" <<-EOT
		program fortran
		    use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_IN_PLACE, MPI_Init, &
		        MPI_INTEGER, MPI_SUM
		    use equant, only: equant_allreduce, equant_close, equant_context, equant_open, &
		        equant_version
		    implicit none
		    type(equant_context) :: eq
		    integer :: number = 7

		    call MPI_Init()
		    call equant_open(eq, MPI_COMM_WORLD)
		    call equant_allreduce(eq, MPI_IN_PLACE, number, 1, MPI_INTEGER, MPI_SUM)
		    call equant_close(eq)
		    call MPI_Finalize()
		    if (number /= 7) error stop "not in place"
		    if (equant_version() /= "$1") error stop "another version"
		end program fortran
	EOT
}

use_fortran()
{
	fortran_program "$(flags --modversion)"
	# shellcheck disable=SC2046
	gfortran -Wall -Werror -J"$scratch" -o "$scratch/fortran" "$scratch/fortran.f90" \
		$(config MPIF_CFLAGS) $(flags --cflags --libs equant-fortran) $(config MPIF_LIBS) &&
		objdump -p "$scratch/fortran" | grep -q 'NEEDED *libequant_fortran.so.0$' &&
		LD_LIBRARY_PATH=$installed/lib64 "$scratch/fortran"
}

# A program of ScaLAPACK's users with the library that replaces p?gemr2d in front.
use_gemr2d()
{
	# shellcheck disable=SC2046
	gcc -Wall -Werror -o "$scratch/gemr2d" tests/gemr2d/program_worker.c $(config MPI_CFLAGS) \
		$(flags --libs equant-gemr2d) $(config SCALAPACK_LIBS) $(config MPI_LIBS) -lm &&
		objdump -p "$scratch/gemr2d" | grep -q 'NEEDED *libequant_gemr2d.so.0$' &&
		LD_LIBRARY_PATH=$installed/lib64 "$scratch/gemr2d" | grep 'residual small'
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

# The same files as for one kernel, and what DKMS wants to know.
dkms_sources()
{
	local sources=$scratch/dkms/usr/src/equant-$1

	build gcc DESTDIR="$scratch/dkms" dkms_install || return 1
	grep -qx "PACKAGE_VERSION=\"$1\"" "$sources/dkms.conf" &&
		cmp kmod/device.c "$sources/kmod/device.c" && test -f "$sources/Kbuild"
}

remaining()
{
	find "$dest" ! -type d
}

plan 11
program
copy
succeeds "make install succeeds" put install
silent "everything is installed" complete
succeeds "pkg-config gives flags that compile, link and run a program" use
succeeds "that program needs the library by its soname" needed
succeeds "the static library serves a program that knows no MPI" use_static
succeeds "the installed command runs" "$installed/bin/equant" help
if [ "$(config HAVE_FORTRAN)" = 1 ] && [ "$(config HAVE_MPI)" = 1 ]; then
	succeeds "equant-fortran.pc gives flags that compile, link and run a Fortran program" \
		use_fortran
else
	skip "equant-fortran.pc gives flags that compile, link and run a Fortran program" "no Fortran"
fi
if [ "$(config HAVE_SCALAPACK)" = 1 ] && [ "$(config HAVE_MPI)" = 1 ]; then
	succeeds "equant-gemr2d.pc gives flags that link and run a program of ScaLAPACK's users" \
		use_gemr2d
else
	skip "equant-gemr2d.pc gives flags that link and run a program of ScaLAPACK's users" \
		"no ScaLAPACK"
fi
succeeds "make dkms_install lays the module's sources out for DKMS" dkms_sources \
	"$(flags --modversion)"
succeeds "make uninstall succeeds" put uninstall
silent "nothing is left afterwards" remaining
finish
