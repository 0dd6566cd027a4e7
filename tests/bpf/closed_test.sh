#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Where the kernel probe cannot be loaded, the loader says why and leaves nothing.

. "$(dirname "$0")/../tools/lib.sh"

if [ "$(id -u)" -ne 0 ]; then
	echo "1..0 # SKIP hiding the kernel's BTF needs root"
	exit 4
fi
if ! "$equant" help | grep -q "equant probe" || [ ! -d /sys/kernel/btf ]; then
	echo "1..0 # SKIP no BPF in this build or no BTF in this kernel"
	exit 4
fi

plan 6

without_btf()
{
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' - "$@"
}

exits 1 'no BTF (CONFIG_DEBUG_INFO_BTF)' "a kernel without BTF is said to be one" \
	without_btf "$equant" probe load
# A setting that cannot be taken back once it is 1.
with_programs_of_users()
{
	echo 0 > "$scratch/setting"
	unshare -m sh -c 'mount --bind "$0" /proc/sys/kernel/unprivileged_bpf_disabled && exec "$@"' \
		"$scratch/setting" "$@"
}
exits 1 'unprivileged_bpf_disabled is 0' "where users' programs could write into the table it is not loaded" \
	with_programs_of_users "$equant" probe load
succeeds "but for a group that is trusted" with_programs_of_users "$equant" probe load --group root
succeeds "and goes again" "$equant" probe unload

exits 1 'needs root' "a user without privilege is told so" \
	setpriv --reuid 65534 --regid 65534 --clear-groups "$equant" probe load
succeeds "neither leaves pins behind" test ! -e /sys/fs/bpf/equant-v1

finish
