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
apt=$dir/apt

fail()
{
	echo "kernels: $*" >&2
	exit 1
}

# The machine's sources of Debian 12 in both of apt's forms, with backports where the release
# itself comes from.  A foreign repository is none of our business.
one_line_sources()
{
	sed -n -E 's|^[[:space:]]*deb[[:space:]]+((\[[^]]*\][[:space:]]+)?)([^[:space:]]+)[[:space:]]+(bookworm[^[:space:]]*)[[:space:]].*|deb \1\3 \4 main|p' \
		"$@" | awk '{ print } sub(/ bookworm main$/, " bookworm-backports main")' | sort -u
}

stanzas()
{
	awk '
	function flush(	i, n, suite, suites, text) {
		n = split(value["Suites"], suite, /[ \t\n]+/)
		for (i = 1; i <= n; i++)
			if (suite[i] ~ /^bookworm(-updates|-security)?$/) {
				suites = suites " " suite[i]
				if (suite[i] == "bookworm")
					suites = suites " bookworm-backports"
			}
		if (suites != "" && " " value["Types"] " " ~ / deb / && value["Enabled"] !~ /no/) {
			value["Types"] = "deb"
			value["Suites"] = substr(suites, 2)
			value["Components"] = "main"
			for (i in value)
				text = text i ": " value[i] "\n"
			print text
		}
		delete value
	}
	FNR == 1 || /^[ \t]*$/ { flush() }
	/^#/ || /^[ \t]*$/ { next }
	/^[ \t]/ { value[field] = value[field] "\n" $0; next }
	{ field = $0; sub(/:.*/, "", field); sub(/^[^:]*:[ \t]*/, ""); value[field] = $0 }
	END { flush() }' "$@"
}

private_apt()
{
	local name lists=() stanzas=()

	for name in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -r "$name" ] || lists+=("$name")
	done
	for name in /etc/apt/sources.list.d/*.sources; do
		[ ! -r "$name" ] || stanzas+=("$name")
	done
	rm -rf "$apt"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/sources.list.d"
	[ ${#lists[@]} -eq 0 ] || one_line_sources "${lists[@]}" > "$apt/sources.list"
	[ ${#stanzas[@]} -eq 0 ] ||
		stanzas "${stanzas[@]}" > "$apt/sources.list.d/debian.sources"
	: > "$apt/status"
	cat > "$apt/apt.conf" <<-EOT
		#clear APT::Update;
		#clear DPkg;
		#clear APT::Default-Release;
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "$apt/sources.list.d";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State "$apt";
		Dir::State::lists "$apt/lists";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt/cache";
		Acquire::Languages "none";
		Acquire::Retries "3";
		APT::Sandbox::User "$(id -un)";
	EOT
	grep -qs bookworm-backports "$apt/sources.list" "$apt/sources.list.d/debian.sources" ||
		fail "no source of Debian 12 (bookworm) in /etc/apt/sources.list*"
}

# quietly WHAT COMMAND...: apt says why it failed, though update only warns of it
quietly()
{
	local what=$1

	shift
	if ! "$@" > "$dir/log" 2>&1 || grep -q '^[EW]: .*Failed to fetch' "$dir/log"; then
		fail "$what: $(grep -m 1 '^[EW]:' "$dir/log" || tail -n 1 "$dir/log")"
	fi
}

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

update()
{
	private_apt
	quietly "the lists of packages" apt-get -c "$apt/apt.conf" -q update
	updated=1
}

# fetch VERSION
fetch()
{
	local release package deb to=$dir/$1 tmp=$dir/$1.tmp

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
