# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Packages that are not to be installed; for scripts that have $dir, where apt's
# configuration goes, and fail().  update once, then apt-get -c "$apt/apt.conf" download.

apt=$dir/apt

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

update()
{
	private_apt
	quietly "the lists of packages" apt-get -c "$apt/apt.conf" -q update
	updated=1
}
