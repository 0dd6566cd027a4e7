#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The kernel's part in Debian's kernel 6.1.

exec "$(dirname "$0")/guest.sh" 6.1
