#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Build the kernel module in a copy of what it needs, one for each kernel, since
# the kernel's M= leaves its files beside the sources:
#
#	SOURCES="FILE..." module.sh KDIR FOLDER TARGET [VARIABLE=VALUE]...
#
# KDIR is a kernel's build folder or that of its headers; the module is
# FOLDER/RELEASE/kmod/equant.ko.

set -eu
kdir=$1
folder=$2
target=$3
shift 3

if [ ! -e "$kdir/Makefile" ]; then
	echo "module: no kernel headers in $kdir" \
		"(Debian: apt-get install linux-headers-$(uname -r); or KDIR=...)" >&2
	exit 1
fi
# Make's own variables are of no concern to the kernel's make.
unset MAKEFLAGS MFLAGS MAKELEVEL
release=$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$kdir/include/generated/utsrelease.h")
mkdir -p "$folder/$release"
folder=$(cd "$folder/$release" && pwd)

# What has not changed is not built again.
for file in $SOURCES; do
	cmp -s "$file" "$folder/$file" && continue
	mkdir -p "$folder/$(dirname "$file")"
	cp "$file" "$folder/$file"
done
# A kernel that was built anew numbers its types anew, whatever its release is called.
[ ! "$kdir/vmlinux" -nt "$folder/kmod/equant.ko" ] || rm -f "$folder/kmod/equant.ko"
make --no-print-directory -C "$kdir" M="$folder" "$@" "$target"
# Without a System.map, which headers may lack, the kernel's make leaves out what modprobe needs.
case "$target $*" in
*INSTALL_MOD_PATH=*) ;;
modules_install*) PATH=$PATH:/usr/sbin:/sbin depmod "$release" ;;
esac
