#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Find out what can be built here and print it as a Makefile fragment:
#	detect.sh > config.mk
# CC, FC, CLANG, BPFTOOL, LLVM_STRIP, MPICC, MPIFC and PKG_CONFIG may be given in
# the environment.

# Debian keeps bpftool where only root's PATH looks.
PATH=$PATH:/usr/sbin:/sbin
: "${CC:=gcc}" "${CLANG:=clang}" "${MPICC:=mpicc}" "${PKG_CONFIG:=pkg-config}"
: "${FC:=gfortran}" "${MPIFC:=mpifort}"
: "${LLVM_STRIP:=llvm-strip}" "${BPFTOOL:=bpftool}"

left_out=0

have()
{
	command -v "$1" >/dev/null 2>&1
}

pkg()
{
	have "$PKG_CONFIG" && "$PKG_CONFIG" "$@" 2>/dev/null
}

# compiles FLAGS... < source: does it compile and link?
compiles()
{
	have "${CC%% *}" && $CC -x c - -o /dev/null "$@" 2>/dev/null
}

# left_out WHAT CONSEQUENCE PACKAGES
left_out()
{
	left_out=$((left_out + 1))
	echo "LEFT_OUT += \"$1 not found: $2; apt-get install --no-install-recommends $3\""
}

# What of such a command, which names libraries all the same, is about compiling.
compiling()
{
	tr ' ' '\n' | grep -E '^-[IDf]' | paste -sd ' '
}

mpi()
{
	flavour=openmpi
	if have "$MPICC"; then
		cflags=$("$MPICC" --showme:compile 2>/dev/null) &&
			libs=$("$MPICC" --showme:link 2>/dev/null)
		if [ -z "$libs" ]; then
			# MPICH prints the whole command; its first word is the compiler.
			flavour=mpich
			libs=$("$MPICC" -link_info 2>/dev/null | cut -d' ' -f2-)
			cflags=$("$MPICC" -compile_info 2>/dev/null | compiling)
		fi
	else
		cflags=$(pkg --cflags ompi-c) && libs=$(pkg --libs ompi-c)
	fi
	if echo '#include <mpi.h>
		int main(void) { return MPI_Init(0, 0); }' | compiles $cflags $libs; then
		echo "HAVE_MPI := 1"
		echo "MPI_CFLAGS := $cflags"
		echo "MPI_LIBS := $libs"
		mpi_cflags=$cflags mpi_libs=$libs
	else
		echo "HAVE_MPI := 0"
		left_out "MPI" "without loops, self-scheduling and the programs in apps/" \
			"libopenmpi-dev openmpi-bin"
	fi
}

# That of the same MPI: the name says whose it is.
scalapack()
{
	for libs in -lscalapack-$flavour -lscalapack; do
		echo 'int Cblacs2sys_handle(int);
			int main(void) { return Cblacs2sys_handle(0); }' |
			compiles $libs $mpi_libs || continue
		echo "HAVE_SCALAPACK := 1"
		echo "SCALAPACK_LIBS := $libs"
		return
	done
	echo "HAVE_SCALAPACK := 0"
	left_out "ScaLAPACK" "without the library that replaces its p?gemr2d" \
		"libscalapack-$flavour-dev"
}

# An array of any type and rank by descriptor, and both of MPI's modules.
fortran_program()
{
	cat <<-EOT
		program p
		    use mpi, only: MPI_ADDRESS_KIND
		    use mpi_f08, only: MPI_Init, MPI_Finalize, MPI_Comm
		    implicit none
		    interface
		        subroutine take(a) bind(C)
		            type(*), dimension(..), intent(inout), target, asynchronous :: a
		        end subroutine
		    end interface
		    call MPI_Init()
		    call MPI_Finalize()
		end program
	EOT
}

fortran()
{
	cflags= libs= scratch=$(mktemp -d)
	if have "$MPIFC"; then
		cflags=$("$MPIFC" --showme:compile 2>/dev/null) &&
			libs=$("$MPIFC" --showme:link 2>/dev/null)
		if [ -z "$libs" ]; then
			libs=$("$MPIFC" -link_info 2>/dev/null | cut -d' ' -f2-)
			cflags=$("$MPIFC" -compile_info 2>/dev/null | compiling)
		fi
	fi
	fortran_program > "$scratch/p.f90"
	# Of which MPI this is, objects know: of another one than this Fortran's they do not link.
	echo '#include <mpi.h>
		MPI_Comm world(void) { return MPI_COMM_WORLD; }
		#ifndef OPEN_MPI
		void *status(void) { return MPI_F08_STATUS_IGNORE; }
		#endif' > "$scratch/c.c"
	# The descriptors are the Fortran compiler's, whatever compiles C.
	header=$($FC -print-file-name=include/ISO_Fortran_binding.h 2>/dev/null)
	if have "${FC%% *}" && [ -n "$libs" ] && [ -f "$header" ] &&
			$CC -c -o "$scratch/c.o" "$scratch/c.c" $mpi_cflags 2>/dev/null &&
			$FC -std=f2018 -J"$scratch" -o "$scratch/p" "$scratch/p.f90" "$scratch/c.o" \
				$cflags $libs 2>/dev/null; then
		echo "HAVE_FORTRAN := 1"
		echo "MPIF_CFLAGS := $cflags"
		echo "MPIF_LIBS := $libs"
		echo "FORTRAN_BINDING := ${header%/*}"
	else
		echo "HAVE_FORTRAN := 0"
		left_out "Fortran for the MPI of $MPICC" "without module equant and the Fortran programs" \
			"gfortran lib$flavour-dev"
	fi
	rm -rf "$scratch"
}

liburing()
{
	cflags=$(pkg --cflags liburing)
	libs=$(pkg --libs liburing || echo -luring)
	if echo '#include <liburing.h>
		int main(void) { struct io_uring r; return io_uring_queue_init(8, &r, 0); }' |
			compiles $cflags $libs; then
		echo "HAVE_LIBURING := 1"
		echo "LIBURING_CFLAGS := $cflags"
		echo "LIBURING_LIBS := $libs"
	else
		echo "HAVE_LIBURING := 0"
		left_out "liburing" "traces are written with pwrite" "liburing-dev"
	fi
}

png()
{
	cflags=$(pkg --cflags libpng)
	libs=$(pkg --libs libpng || echo -lpng)
	if echo '#include <png.h>
		int main(void) { png_image p; png_image_free(&p); return 0; }' |
			compiles $cflags $libs; then
		echo "HAVE_PNG := 1"
		echo "PNG_CFLAGS := $cflags"
		echo "PNG_LIBS := $libs"
	else
		echo "HAVE_PNG := 0"
		left_out "libpng" "mandelbrot writes no image" "libpng-dev"
	fi
}

bpf()
{
	lacks=
	libs=$(pkg --libs libbpf || echo "-lbpf")
	echo '#include <bpf/libbpf.h>
	      int main(void) { return libbpf_major_version() < 1; }' |
		compiles $libs || lacks="libbpf libbpf-dev"
	have "$BPFTOOL" && "$BPFTOOL" version >/dev/null 2>&1 || lacks="bpftool bpftool"
	have "$LLVM_STRIP" || lacks="llvm-strip llvm"
	echo 'int i;' | $CLANG -target bpf -x c -c - -o /dev/null 2>/dev/null ||
		lacks="clang clang"
	if [ -z "$lacks" ]; then
		echo "HAVE_BPF := 1"
		echo "BPF_LIBS := $libs"
		echo "BPFTOOL := $(command -v "$BPFTOOL")"
	else
		echo "HAVE_BPF := 0"
		left_out "${lacks% *}" "no BPF probe, ranks use schedstat" \
			"clang llvm bpftool libbpf-dev"
	fi
}

kselftest()
{
	# Debian 12's own, or else the newest there is.
	tar=$(ls /usr/src/linux-source-6.1.tar.xz 2>/dev/null ||
		ls /usr/src/linux-source-[0-9]*.tar.xz 2>/dev/null | sort -V | tail -n 1)
	if [ -n "$tar" ] && have xz; then
		echo "HAVE_LINUX_SOURCE := 1"
		echo "LINUX_SOURCE := $tar"
	else
		echo "HAVE_LINUX_SOURCE := 0"
		left_out "linux-source" "no tests" "linux-source-6.1 xz-utils"
	fi
}

openmp()
{
	if echo '#include <omp.h>
		int main(void) { return omp_get_max_threads() < 1; }' | compiles -fopenmp; then
		echo "HAVE_OPENMP := 1"
	else
		echo "HAVE_OPENMP := 0"
		left_out "OpenMP" "without the tests of ranks with several threads" "libgomp1"
	fi
}

multiarch()
{
	triple=$($CC -print-multiarch 2>/dev/null)
	[ -n "$triple" ] || triple=$(uname -m)-linux-gnu
	[ ! -d "/usr/include/$triple" ] || echo "MULTIARCH := $triple"
}

echo "# made by tools/build/detect.sh"
echo "LEFT_OUT :="
if ! have "${CC%% *}"; then
	echo "detect: no compiler $CC; run: make deps" >&2
	exit 1
fi
mpi
scalapack
fortran
liburing
png
bpf
kselftest
openmp
multiarch
echo "NR_LEFT_OUT := $left_out"
