#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The reference of fortran.rst has all that module equant makes public, with the arguments and
# kinds of the sources.

. "$(dirname "$0")/lib.sh"

# reference MODULE
reference()
{
	listing "$1" fortran.rst
	perl tests/tree/fortran.pl "userlib/fortran/$1.f90" > "$scratch/$1.public" &&
		[ -s "$scratch/$1.public" ] &&
		diff "$scratch/$1" "$scratch/$1.public" | sed -n -e 's/^</fortran.rst:/p' \
			-e "s,^>,userlib/fortran/$1.f90:,p"
}

mapfile -t modules < <(sed -n 's/^    use \(equant_[a-z]*\)$/\1/p' userlib/fortran/equant.f90)

# No file of the folder is forgotten.
complete()
{
	diff <(printf '%s\n' "${modules[@]}" | sort) \
		<(basename -s .f90 userlib/fortran/equant_*.f90 | sort)
}

plan $((${#modules[@]} + 1))
silent "module equant hands on all of its parts" complete
for module in "${modules[@]}"; do
	silent "fortran.rst has what $module makes public" reference "$module"
done
finish
