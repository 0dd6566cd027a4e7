#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Words that `equant` understands, and those that it does not.

. "$(dirname "$0")/lib.sh"

plan 19

exits 2 'which command' "no command at all is an error" "$equant"
exits 2 "unknown command 'ballance'" "an unknown command is named" "$equant" ballance
exits 0 '^equant [0-9]' "version says which" "$equant" version
exits 2 "unexpected argument 'x'" "version takes no argument" "$equant" version x
exits 0 'equant run ' "help lists the commands" "$equant" help
exits 0 'Usage: equant run' "help knows each command" "$equant" help run
exits 0 'Usage: equant run' "each command knows --help" "$equant" run --help
exits 2 "no command or topic 'x'" "help names what it does not know" "$equant" help x
exits 2 "unexpected argument 'y'" "help takes one word" "$equant" help run y

"$equant" help | sed -n 's/^  equant \([a-z]*\) .*/\1/p' > "$scratch/commands"
grep -qx run "$scratch/commands" || echo "help lists no commands" > "$scratch/without"
while read -r command; do
	"$equant" help "$command" | grep -q "^Usage: equant $command" || echo "$command"
done < "$scratch/commands" >> "$scratch/without"
silent "help has a usage for every command it lists" cat "$scratch/without"
exits 0 '^Usage: equant plan' "each command knows -h" "$equant" plan -h

# "COMMAND --OPTION" for each that a command looks for, by getopt_long() and option_next() or by
# itself, and its usage does not name.
unnamed()
{
	local command option pattern

	for command in run top report probe advise plan demo; do
		pattern='"--[a-z-]+"'
		! grep -qE "getopt_long|option_next" "tools/equant/$command.c" ||
			pattern='\{ "[a-z-]+", [a-z]+_argument'
		grep -ohE "$pattern" "tools/equant/$command.c" |
			sed -E 's/^[^"]*"-*([a-z-]+)".*/--\1/' | sort -u > "$scratch/taken"
		[ -s "$scratch/taken" ] || echo "$command: no options found"
		"$equant" help "$command" > "$scratch/usage"
		while read -r option; do
			grep -qE -e "$option\>" "$scratch/usage" || echo "$command $option"
		done < "$scratch/taken"
	done
}
silent "help names every option that a command takes" unnamed

# The options of the library are the fields of struct equant_options.
fields()
{
	sed -n '/^struct equant_options {/,/^};/s/^\t[a-z][a-z ]*[ *]\([a-z]*\);.*/\1/p' \
		userlib/include/equant/equant.h | grep -vx sz |
		tr '[:lower:]' '[:upper:]' | sed 's/^/EQUANT_/' | sort
}

if "$equant" help env | sed -n '/^EQUANT_[A-Z]*$/p' | sort > "$scratch/env" &&
   grep -q MPI_CFLAGS "$TEST_BUILD/config.mk"; then
	fields > "$scratch/fields"
	silent "help env lists every option" diff "$scratch/fields" "$scratch/env"
else
	skip "help env lists every option" "built without MPI"
fi
exits 2 "must be from 1 to 60, not 'x'" "demo refuses a bad length" "$equant" demo --seconds x
exits 2 "--pairs '1.9': expected a whole number from 1 to 99" "demo runs no part of a pair" \
	"$equant" demo --pairs 1.9
exits 2 "unexpected argument 'x'" "demo takes no argument" "$equant" demo x
if [ "$(nproc)" -gt 1 ] && grep -q MPI_CFLAGS "$TEST_BUILD/config.mk"; then
	exits 127 'equant demo: .*mpirun' "demo says that it needs mpirun" \
		env PATH="$scratch" "$equant" demo
else
	skip "demo says that it needs mpirun" "one CPU, or built without MPI"
fi

# What is no error although it cannot be printed, or has no reason.
unprinted()
{
	local words

	for words in version help 'help run' 'run --help' 'help env' 'probe status' \
		'probe status --json' 'plan --list' 'simulate figure --list' \
		'simulate barrier --help'; do
		# shellcheck disable=SC2086
		"$equant" $words > /dev/full 2> "$scratch/error" && echo "$words"
		grep -q 'standard output: No space left' "$scratch/error" || echo "$words: no reason"
	done
}
silent "what cannot be printed is an error with a reason" unprinted

exits 1 'standard output: Bad file descriptor' "... also where there is no standard output" \
	sh -c '"$1" version >&-' - "$equant"

finish
