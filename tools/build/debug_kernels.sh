#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Build kernels that watch themselves, for the guests:
#
#	debug_kernels.sh [-c] DIRECTORY [6.1|6.12]...
#
# From Debian's linux-source packages into DIRECTORY/6.1-debug and DIRECTORY/6.12-debug,
# which are like what kernels.sh makes of Debian's own.  They have what
# tests/vm/debug.config names and what that needs, nothing else.  -c: go as far as
# the configuration.  What is there is kept; remove a folder to have it built again.
# Exit status 1 and one line that says why when something is missing.

set -eu -o pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
fragment=$here/../../tests/vm/debug.config
configure_only=
if [ "${1:-}" = -c ]; then
	configure_only=1
	shift
fi
mkdir -p "$1"
dir=$(cd "$1" && pwd -P)
shift
[ $# -gt 0 ] || set -- 6.1 6.12

fail()
{
	echo "debug kernels: $*" >&2
	exit 1
}

. "$here/apt.sh"

# What Debian's packages for building a kernel bring.
need_programs()
{
	local program header

	for program in gcc make flex bison bc perl cpio pahole xz dpkg apt-get; do
		command -v $program > /dev/null || fail "$program is missing ($(packages))"
	done
	for header in libelf.h openssl/ssl.h; do
		echo "#include <$header>" | gcc -E - > /dev/null 2>&1 ||
			fail "<$header> is missing ($(packages))"
	done
}

packages()
{
	echo "apt-get install gcc make flex bison bc perl cpio dwarves libelf-dev libssl-dev xz-utils"
}

# unpack VERSION FOLDER: the source, without a package that stays
unpack()
{
	local deb

	[ -n "$updated" ] || update
	rm -rf "$2" "$dir/debs"
	mkdir -p "$2" "$dir/debs"
	echo "debug kernels: linux-source-$1"
	quietly "linux-source-$1" env -C "$dir/debs" apt-get -c "$apt/apt.conf" -q download \
		"linux-source-$1"
	deb=$(find "$dir/debs" -name "linux-source-$1_*.deb")
	dpkg-deb --fsys-tarfile "$deb" | tar -xO "./usr/src/linux-source-$1.tar.xz" |
		tar -xJ --strip-components=1 -C "$2"
	rm -rf "$dir/debs"
	touch "$2/.unpacked"
}

# Those lines of the fragment that the configuration has otherwise.
not_as_wanted()
{
	grep -E '^CONFIG_' "$fragment" | grep -vxF -f "$1/.config" || true
	sed -n -E 's/^# (CONFIG_[A-Z0-9_]+) is not set$/\1/p' "$fragment" |
		while read -r name; do
			! grep -q "^$name=" "$1/.config" || echo "# $name is not set"
		done
}

# configure VERSION FOLDER
configure()
{
	local wrong

	make -C "$2" KCONFIG_ALLCONFIG="$(realpath "$fragment")" allnoconfig > "$dir/log" 2>&1 ||
		fail "$1: $(tail -n 1 "$dir/log")"
	wrong=$(not_as_wanted "$2")
	[ -z "$wrong" ] || fail "$1 cannot have: $(echo "$wrong" | paste -sd ' ')"
}

# build VERSION FOLDER: beside whatever else the machine does
build()
{
	local to=$dir/$1-debug

	echo "debug kernels: building $1, which takes half an hour or so; messages in $to/log"
	nice -n 19 make -C "$2" -j "$(nproc)" bzImage modules > "$to/log" 2>&1 ||
		fail "$1: $(grep -m 1 -E 'error|Error' "$to/log" || tail -n 1 "$to/log")"
	mkdir -p "$to/lib/modules"
	ln -sfn src/arch/x86/boot/bzImage "$to/vmlinuz"
	ln -sfn src "$to/build"
	cp "$2/include/config/kernel.release" "$to/release"
}

need_programs
exec 9> "$dir/lock"
flock 9
trap 'rm -rf "$apt" "$dir/log"' EXIT
updated=
for version; do
	source=$dir/$version-debug/src
	[ ! -r "$dir/$version-debug/release" ] || continue
	[ -e "$source/.unpacked" ] || unpack "$version" "$source"
	configure "$version" "$source"
	[ -n "$configure_only" ] || build "$version" "$source"
done
