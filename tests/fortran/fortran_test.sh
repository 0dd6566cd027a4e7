#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Module equant: every procedure, with the types of mpi_f08 and the integers of mpi.

. "$(dirname "$0")/lib.sh"

plan 54

passes types options 1 "the options are C's: size, places, and as many as there are"
passes types defaults 1 "the defaults are C's"
passes types stats 1 "the account is C's: size and places"
passes types constants 1 "the constants are C's"
passes types texts 1 "version and error texts come without their zeros"

passes loops ranges "1 4" "units are counted from 1 and each has one owner"
passes loops distributions 3 "a distribution is that of C, one unit later"
passes loops moves 3 "slices of any type, rank and bounds follow their units"
passes loops results 3 "results are those of one process to the last bit while units move"
passes loops varying 3 "units are deactivated and activated by their Fortran numbers"
passes loops callbacks 3 "allocatable data move through callbacks"
passes loops stats 2 "the account is filled in"

passes data broadcast 3 "a broadcast slice is its owner's on every rank"
passes data copy 3 "a copied slice is its owner's"
passes data exchange 3 "exchanged slices change places"
passes data ghosts 4 "neighbours' slices come to their columns"
passes data reductions "1 4" "a reduction gives what one rank gives to the last bit"

passes shares shared 3 "two loops that share have the same owners wherever units move"
passes passes pipelined 3 "a pass computes each unit once wherever it moves"
passes passes asynchronous 3 "an asynchronous pass does"
passes passes refused 2 "a pass that is not one is refused"
passes sweeps sweep "1 4" "a sweep is the sequential one's to the last bit"
passes sweeps refused 2 "what cannot be swept is refused"
passes tables kinds 3 "tables of every kind hold the slices of their units while these move"
passes tables neighbours 3 "copies of neighbours' slices are in their tables"
passes tables refused 2 "what is no table or no unit has no slice"

passes contexts open 2 "a context is opened with options and texts, or refused"
passes contexts handles 2 "what is closed or freed is an error, not a crash"
passes contexts team 2 "another thread computes for the rank"
passes contexts wait 3 "one request is waited for"
passes contexts waitall 3 "many requests are waited for"
passes contexts allreduce 3 "ranks' values are reduced, in place too"
passes integers wait 3 "one request of module mpi is waited for"
passes integers waitall 3 "many requests of module mpi are waited for"
passes integers allreduce 3 "ranks' values are reduced with module mpi, in place too"

passes arrays refused 2 "arrays without slices are refused"
passes arrays sections 2 "contiguous sections and pointers are taken as they are"
passes arrays nothing 2 "a loop of no units has arrays, slices of no bytes are none"
passes arrays late 2 "an array after the first hook is refused"
succeeds "a refusal names loop, procedure, dimension and shape" says arrays refused 1 \
	"loop rows: equant_loop_array: the array is not contiguous: in dimension 1 elements are 16 bytes apart (4 x 12 elements of 8 bytes)" \
	"in dimension 3 elements are 48 bytes apart (2 x 2 x 12 elements of 8 bytes)" \
	"the last extent of the array is 13, the loop has 12 units (13 elements of 8 bytes)" \
	"a scalar is no array: it has no units (an element of 8 bytes)" \
	"the array is of assumed size (*): where is its last unit? Declare it (:) (8 x * elements of 8 bytes)" \
	"loop rows: equant_loop_array: the array is not allocated"

succeeds "a refused sum over units names loop, procedure, dimension and shape" says data reductions 1 \
	"loop rows: equant_allreduce_units: the array is not contiguous: in dimension 1 elements are 16 bytes apart (97 elements of 8 bytes)" \
	"in dimension 1 elements are -8 bytes apart (97 elements of 8 bytes)" \
	"equant_allreduce_units: the last extent of the array is 96, the loop has 97 units (96 elements of 8 bytes)" \
	"equant_allreduce_units: the last extent of the array is 194, the loop has 97 units (194 elements of 8 bytes)" \
	"loop rows, rank 0: equant_allreduce_units: no such operation"
succeeds "a refused sweep names loop, procedure and what is wrong" says sweeps refused 1 \
	"loop columns: equant_loop_pipelined: the array is not contiguous: in dimension 2 elements are 32 bytes apart (2 x 4 x 37 elements of 8 bytes)" \
	"loop columns: equant_loop_pipelined: the array has no dimension for the inner loop" \
	"loop columns: equant_loop_pipelined: a negative skip"
succeeds "a refused sum over ranks names procedure, buffer and shape" says contexts allreduce 1 \
	"equant_allreduce: the receive buffer is not contiguous (3 elements of 8 bytes)"
succeeds "refused requests and statuses are named" says integers waitall 1 \
	"equant_waitall: the array of requests is not contiguous" \
	"equant_waitall: there are fewer statuses than requests" \
	"equant_waitall: the first extent of statuses is less than MPI_STATUS_SIZE"

# compiles KIND [RANK]: a sum over units of values and a result of that kind; RANK: (:) or (:, :)
compiles()
{
	cat > "$scratch/kind.f90" <<- END
		subroutine sum_units(loop, values, result)
		    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int
		    use equant, only: equant_allreduce_units, equant_loop, equant_sum
		    type(equant_loop), intent(in) :: loop
		    $1, intent(in) :: values(${2:-:})
		    real(c_double), intent(out) :: result
		    call equant_allreduce_units(loop, values, equant_sum, result)
		end subroutine sum_units
	END
	# shellcheck disable=SC2046
	"${FC:-gfortran}" -fsyntax-only $(config MPIF_CFLAGS) -I"$TEST_BUILD/fortran" "$scratch/kind.f90" \
		> "$scratch/said" 2>&1
}

wrong_kinds()
{
	compiles "real(c_double)" || { cat "$scratch/said"; return 1; }
	for kind in "real(c_float)" "integer(c_int)" "complex(c_double)"; do
		! compiles "$kind" && grep -q "argument 'values'" "$scratch/said" || return 1
	done
	! compiles "real(c_double)" ":, :" && grep -q "argument 'values'" "$scratch/said"
}
succeeds "values of another kind or rank than a sum's are refused by the compiler, by name" wrong_kinds

# ends: without ierror= an error ends the job, on every rank
ends()
{
	says arrays end 2 "equant_loop_array: Invalid argument; the program has no ierror= for it and ends" ||
		return 1
	! job 2 arrays end > /dev/null && ! grep -q '^passed' "$scratch/job"
}
succeeds "an error that the program does not look at ends the job" ends

# sor PROGRAM: when it is good enough and how its mesh comes out on three ranks while columns move
sor()
{
	EQUANT_CHECK=on EQUANT_PERIOD=0.002 mpirun --oversubscribe --bind-to none \
		--mca mpi_yield_when_idle 1 -np 3 "$TEST_BUILD/libexec/equant/$1" -n 150 -s 1000 -t 0.00003 2>&1 |
		sed -n 's/.* \(sweeps=[0-9]*\) .* \(check=[0-9A-F]*\) .* \([a-zA-Z]*\)$/\1 \2 \3/p'
}

same_mesh()
{
	sor sor > "$scratch/c" && sor sor_f > "$scratch/fortran" &&
		grep -q 'sweeps=[1-9][0-9]* .*verified$' "$scratch/c" && diff "$scratch/c" "$scratch/fortran"
}
succeeds "sor in Fortran computes the bits of sor in C, and ends with it" same_mesh

refuses()
{
	"$TEST_BUILD/libexec/equant/sor_f" "$@" > "$scratch/said" 2>&1
	[ $? -eq 2 ] && grep -q -e "^sor_f: .*${*: -1}" "$scratch/said"
}
succeeds "sor in Fortran names a wrong number" refuses --size many
succeeds "... blanks are none" refuses --size ""
succeeds "... and two are not one" refuses --size "1 2"

cut()
{
	"$TEST_BUILD/libexec/equant/sor_f" --size "$(printf '%064d9' 5)" > "$scratch/said" 2>&1
	[ $? -eq 2 ] && grep -q "^sor_f: too long an argument begins with '0*5'" "$scratch/said"
}
succeeds "sor in Fortran cuts no number short" cut
succeeds "sor in Fortran names an option that it does not know" refuses --fast

explains()
{
	mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -np 2 \
		"$TEST_BUILD/libexec/equant/sor_f" --help > "$scratch/said" 2>&1 &&
		[ "$(grep -c '^usage: sor_f' "$scratch/said")" -eq 1 ]
}
succeeds "sor in Fortran explains itself once, which is no error" explains

full()
{
	! "$TEST_BUILD/libexec/equant/sor_f" -n 4 > /dev/full 2> "$scratch/said" &&
		grep -q '^sor_f: standard output: No space left' "$scratch/said"
}
succeeds "sor in Fortran names a full disk" full
finish
