#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Install what the build, the tests and the demonstration need.  Does nothing
# when nothing is missing; without the right to install, or on another
# distribution, prints what to run and leaves the rest to tools/build/detect.sh.

# What each is for, beyond the compiler and make:
#	libc6-dev g++		gcc only recommends the first; headers are checked as C++
#	clang llvm bpftool	the BPF object and its skeleton
#	libbpf-dev		loading it (brings libelf-dev and zlib1g-dev)
#	libopenmpi-dev openmpi-bin	the ranks
#	libscalapack-openmpi-dev	the library that replaces its p?gemr2d
#	gfortran		the Fortran module and its programs
#	liburing-dev		the trace
#	libpng-dev		images of mandelbrot
#	linux-source-6.1 xz-utils	kselftest, checkpatch.pl, .clang-format
#	clang-format perl	the style check
#	valgrind libc6-dbg	the leak tests
#	libc6-dbg qemu-system-x86 busybox-static	the guests (brings qemu-system-common: virtiofsd)
#	iproute2		several hosts on one machine
#	locales			the tests' locale whose numbers have a comma
#	patch			what is compiled of the documents
#	sparse dwarves kmod	the kernel module: its checks, its types for BPF, and loading it
PACKAGES="gcc libc6-dev g++ make pkg-config clang llvm bpftool libbpf-dev libopenmpi-dev
	openmpi-bin libscalapack-openmpi-dev gfortran liburing-dev libpng-dev linux-source-6.1 xz-utils
	clang-format perl valgrind libc6-dbg qemu-system-x86 busybox-static iproute2 sparse dwarves
	kmod locales patch"

say()
{
	printf '  %-7s %s\n' DEPS "$*"
}

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
	say "this is no Debian; what cannot be built is left out. Debian 12 would need:"
	echo apt-get install --no-install-recommends $PACKAGES
	exit 0
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $PACKAGES 2>/dev/null |
	sed -n 's/^installed //p')
missing=
for package in $PACKAGES; do
	echo "$installed" | grep -qxF "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then
	sudo=
elif sudo -n true 2>/dev/null || { command -v sudo >/dev/null 2>&1 && [ -t 0 ]; }; then
	sudo="sudo "
else
	say "missing, and no right to install; what needs it is left out. As root:"
	echo "apt-get update && $install"
	exit 0
fi

say "installing$missing"
lock="-o DPkg::Lock::Timeout=600"
$sudo env DEBIAN_FRONTEND=noninteractive apt-get $lock -q update ||
	say "not all lists of packages are new"
# Of what is not to be had here apt-get would install nothing else either.
there= gone=
for package in $missing; do
	if LC_ALL=C apt-cache policy "$package" | grep -q '^  Candidate: [^(]'; then
		there="$there $package"
	else
		gone="$gone $package"
	fi
done
[ -z "$gone" ] || say "there is no package$gone; what needs it is left out"
[ -n "$there" ] &&
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get $lock -q install -y --no-install-recommends $there &&
	{ [ -z "$gone" ]; exit; }
say "that failed; what needs the missing packages is left out. By hand:"
echo "apt-get update && $install"
exit 1
