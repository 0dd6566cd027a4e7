#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Fetch Debian's kernels for the guests, and their headers: kernels.sh DIRECTORY [6.1|6.12]...
#
# Nothing is installed: the packages are unpacked into DIRECTORY/6.1 and
# DIRECTORY/6.12, where
#	release		holds the name of the release
#	vmlinuz		is the kernel
#	lib/modules/*/	are its modules
#	build		is what make -C wants to build modules
# 6.12 is in Debian 12's backports.  They are looked up with a configuration of
# apt of our own, made from the machine's sources, which stay as they are.
# What is there is kept, unless DIRECTORY was moved; remove a folder to have a newer one.  Exit
# status 1 and one line that says why when something is missing.

set -eu -o pipefail
export LC_ALL=C
mkdir -p "$1"
dir=$(cd "$1" && pwd -P) # the headers will hold it, so no link that may go
shift
[ $# -gt 0 ] || set -- 6.1 6.12

fail()
{
	echo "kernels: $*" >&2
	exit 1
}

. "$(dirname "$0")/apt.sh"

# newest VERSION: the release, such as 6.1.0-40-cloud-amd64
newest()
{
	apt-cache -c "$apt/apt.conf" pkgnames "linux-image-$1." |
		sed -n -E "s/^linux-image-(${1/./\\.}\.[^a-z]*(deb12)?[^a-z]*-cloud-amd64)$/\1/p" |
		sort -V | tail -n 1
}

packages_of()
{
	echo "linux-image-$1"
	echo "linux-headers-$1"
	apt-cache -c "$apt/apt.conf" depends "linux-headers-$1" |
		sed -n -E 's/^ *Depends: (linux-(headers|kbuild)-[^ ]*)$/\1/p'
}

# The headers' files name each other by the paths that they would have when installed.
relocate()
{
	local link target

	grep -rlI "/usr/src/linux-headers-" "$1"/usr/src/*/Makefile |
		xargs -r sed -i "s|/usr/src/linux-headers-|$2/usr/src/linux-headers-|g"
	find "$1/usr/src" "$1/lib/modules" -maxdepth 2 -type l | while read -r link; do
		target=$(readlink "$link")
		case $target in
		/*) ln -sfn "$2$target" "$link" ;;
		esac
	done
}

# there VERSION: was it unpacked, and here?
there()
{
	[ -r "$dir/$1/release" ] && grep -qsF " $dir/$1/" "$dir/$1/build/Makefile"
}

# fetch VERSION
fetch()
{
	local release package deb to=$dir/$1 tmp=$dir/$1.tmp

	[ -z "$(ls -A "$to" 2> /dev/null)" ] || [ -r "$to/release" ] ||
		fail "$to holds something else, and would be replaced; KERNELS= names a folder of its own"
	[ -n "$updated" ] || update
	release=$(newest "$1")
	[ -n "$release" ] || fail "there is no linux-image-$1.*-cloud-amd64 in Debian 12 or its backports"
	rm -rf "$tmp"
	mkdir -p "$tmp" "$dir/debs"
	for package in $(packages_of "$release"); do
		echo "kernels: $package"
		quietly "$package" env -C "$dir/debs" apt-get -c "$apt/apt.conf" -q download "$package"
		deb=$(find "$dir/debs" -name "${package}_*.deb" | sort -V | tail -n 1)
		quietly "$package" dpkg -x "$deb" "$tmp"
	done
	ln -s "boot/vmlinuz-$release" "$tmp/vmlinuz"
	ln -s "usr/src/linux-headers-$release" "$tmp/build"
	[ -e "$tmp/vmlinuz" ] || fail "linux-image-$release holds no kernel"
	[ -e "$tmp/build/Makefile" ] || fail "linux-headers-$release holds no Makefile"
	relocate "$tmp" "$to"
	echo "$release" > "$tmp/release"
	rm -rf "$to" "$dir/debs"
	mv "$tmp" "$to"
}

exec 9> "$dir/lock"
flock 9
trap 'rm -rf "$apt" "$dir/log"' EXIT
updated=
for version; do
	there "$version" || {
		for program in apt-get apt-cache dpkg; do
			command -v $program > /dev/null || fail "$program is missing; this is no Debian"
		done
		fetch "$version"
	}
done
