#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Boot one of Debian's kernels and run a command in it:
#
#	boot.sh [-c CPUS] [-i] [-m MEGABYTES] [-t SECONDS] KERNEL COMMAND [ARGUMENT...]
#	boot.sh KERNEL				a shell at the terminal
#
# KERNEL is a folder that tools/build/kernels.sh made.  The guest sees this machine's
# files, and what it writes is gone with it.  The command starts in this tree, as
# root; what it prints is printed here.  TEST_BUILD/vm/NAME/console has the kernel's
# messages.  The exit status is the command's, 123 for any above, 124 when it took too long, 125 when
# the guest ended without one, 126 when it could not be started.
#
# The processors are emulated (TCG), so that this works within virtual machines.  With
# -i an instruction takes a nanosecond of the guest's clock, whatever it takes here, and
# the command finds GUEST_EXACT=CPUS; 6.1 comes up with one of them only.

set -u
export LC_ALL=C
source=$(cd "$(dirname "$0")/../.." && pwd)
: "${TEST_BUILD:=$source/build}"
leave=$TEST_BUILD/tests/vm/leave_worker
cpus=2 memory=1536 limit=600 exact=
clock=(-accel tcg,thread=multi)

while getopts c:im:t: option; do
	case $option in
	c) cpus=$OPTARG ;;
	i) clock=(-accel tcg,thread=single -icount shift=0) exact=1 ;;
	m) memory=$OPTARG ;;
	t) limit=$OPTARG ;;
	*) exit 126 ;;
	esac
done
shift $((OPTIND - 1))
kernel=$1
shift

fail()
{
	echo "boot: $*" >&2
	exit 126
}

# Where Debian 12 has it; later ones have a package of that name.
virtiofsd()
{
	local program

	for program in /usr/lib/qemu/virtiofsd /usr/libexec/virtiofsd; do
		[ ! -x $program ] || { echo $program; return; }
	done
}

missing()
{
	[ "$(uname -m)" = x86_64 ] || echo "the guests are x86-64 ones"
	[ "$(id -u)" -eq 0 ] || echo "sharing files with a guest needs root"
	command -v qemu-system-x86_64 > /dev/null || echo "no qemu-system-x86"
	[ -n "$(virtiofsd)" ] || echo "no virtiofsd (qemu-system-common)"
	[ -x /bin/busybox ] || echo "no busybox-static"
	command -v insmod > /dev/null || echo "no insmod (kmod)"
	[ ! -x /bin/busybox ] || ! ldd /bin/busybox > /dev/null 2>&1 ||
		echo "busybox is not static (busybox-static)"
	[ -x "$leave" ] || echo "$leave was not built"
	[ -e "$kernel/vmlinuz" ] || echo "no kernel in $kernel (make kernels)"
}

if [ "${1:-}" = --missing ]; then
	missing
	exit 0
fi
[ -z "$(missing)" ] || fail "$(missing | paste -sd ';')"

scratch=$(mktemp -d) || exit 126
out=$TEST_BUILD/vm/${kernel##*/}
mkdir -p "$out"
files='' guest=''

clean_up()
{
	[ -z "$guest" ] || kill "$guest" 2> /dev/null
	[ -z "$files" ] || kill "$files" 2> /dev/null
	wait
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# The first root: busybox, what is needed to reach the shared one, and the command.
fill_root()
{
	local root=$scratch/root name file

	mkdir -p "$root/bin" "$root/modules" "$root/dev"
	cp /bin/busybox "$root/bin/"
	cp "$source/tests/vm/init" "$root/init"
	for name in virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci \
			fuse virtiofs overlay; do
		file=$(find "$kernel/lib/modules" -name "$name.ko" -o -name "$name.ko.xz")
		case $file in
		*.xz) xz -dc "$file" > "$root/modules/$name.ko" ;;
		?*) cp "$file" "$root/modules/" ;;
		esac
	done
	{
		echo "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
		echo "export HOME=/root TERM=${TERM:-linux} LC_ALL=C"
		printf 'export TEST_BUILD=%q GUEST_KERNEL=%q\n' "$TEST_BUILD" "$kernel"
		echo "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
		[ -z "$exact" ] || echo "export GUEST_EXACT=$cpus"
		[ -z "${STRESS_SECONDS:-}" ] || printf 'export STRESS_SECONDS=%q\n' "$STRESS_SECONDS"
		printf 'cd %q\n' "$source"
		printf '%q ' exec "${@:-/bin/bash}"
	} > "$root/command"
	if [ $# -gt 0 ]; then
		echo '/bin/bash /run/command > /dev/ttyS1 2>&1 < /dev/null'
	else
		echo 'setsid -c /bin/bash /run/command > /dev/ttyS0 2>&1 < /dev/ttyS0'
	fi > "$root/start"
	printf '%q $?\n' "$leave" >> "$root/start"
	(cd "$root" && find . | busybox cpio -o -H newc 2> /dev/null | gzip -1) \
		> "$scratch/initrd"
}

# Ends by itself when the guest is gone, but not if there never was one.
share_files()
{
	"$(virtiofsd)" --socket-path="$scratch/files" -o source=/ -o cache=always \
		-o sandbox=chroot -o xattr --thread-pool-size=2 > "$out/virtiofsd" 2>&1 &
	files=$!
	for _ in $(seq 100); do
		[ ! -S "$scratch/files" ] || return 0
		sleep 0.05
	done
	fail "virtiofsd: $(tail -n 1 "$out/virtiofsd")"
}

# emulate [COMMAND...] -- ARGUMENT...: by way of a command.  The kernel is not to doubt a
# timer that is late because this machine has much to do.
emulate()
{
	local through=()

	while [ "$1" != -- ]; do
		through+=("$1")
		shift
	done
	shift
	exec "${through[@]}" qemu-system-x86_64 "${clock[@]}" -cpu Conroe,+rdrand -smp "$cpus" -m "$memory" \
		-nodefaults -display none -no-reboot \
		-object memory-backend-memfd,id=memory,size="${memory}M",share=on \
		-numa node,memdev=memory \
		-chardev socket,id=files,path="$scratch/files" \
		-device vhost-user-fs-pci,queue-size=1024,chardev=files,tag=host \
		-device isa-debug-exit,iobase=0xf4,iosize=4 \
		-kernel "$kernel/vmlinuz" -initrd "$scratch/initrd" \
		-append "console=ttyS0 panic=-1 mitigations=off random.trust_cpu=on no_timer_check $loglevel" \
		"$@"
}

status_of()
{
	case $1 in
	1) exit 126 ;; # the emulator's own
	124 | 130) exit "$1" ;;
	esac
	[ $(($1 % 2)) -eq 1 ] || exit 125
	exit $(($1 / 2 - 1))
}

fill_root "$@"
share_files
if [ $# -eq 0 ]; then
	loglevel=quiet
	(emulate -- -serial mon:stdio -serial null)
	status_of $?
fi
loglevel=loglevel=7
: > "$scratch/output"
emulate timeout "$limit" -- -serial file:"$out/console" -serial file:"$scratch/output" \
	> "$out/emulator" 2>&1 < /dev/null &
guest=$!
tail -f -n +1 --pid=$guest -s 0.2 "$scratch/output" | tr -d '\r' &
wait $guest
status=$?
guest=
kill "$files" 2> /dev/null
files=
wait
sed 's/^/boot: /' "$out/emulator" >&2
status_of $status
