#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# In the guest: what `equant top` says of eight ranks that the module watches.

slow=3
. "$(dirname "$0")/../tools/lib.sh"
. "$(dirname "$0")/../tools/top_ranks.sh"

reason=$(missing_for_top)
[ -e /dev/equant ] || reason+=${reason:+$'\n'}"the module is not loaded"
if [ -n "$reason" ]; then
	echo "1..0 # SKIP $(echo "$reason" | paste -sd ';')"
	exit 4
fi

plan 8
eight_ranks
from_the_module()
{
	grep -q '"source": "kmod"' "$scratch/lines" && ! grep -q '"source": "bpf"' "$scratch/lines"
}
succeeds "all readings are the module's" from_the_module
echo "# the screen beside a load:"
sed 's/\x1b\[[?0-9;]*[a-zA-Z]//g' "$scratch/terminal" | tr -d '\r' | tail -n 12 | sed 's/^/# /'
echo
kill $job
wait $job 2> /dev/null
finish
