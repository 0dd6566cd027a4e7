! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! The ranks' side of the tests: named cases, and demands that end the job when they are not met.
module worker
    use, intrinsic :: iso_c_binding, only: c_double, c_int
    use, intrinsic :: iso_fortran_env, only: error_unit, int64, output_unit
    use mpi_f08, only: MPI_Abort, MPI_Allreduce, MPI_Comm_rank, MPI_Comm_size, MPI_COMM_WORLD, &
        MPI_Finalize, MPI_Init, MPI_INTEGER8, MPI_MAX, MPI_SUM
    use equant, only: equant_begin, equant_close, equant_context, equant_end, equant_error_text, &
        equant_hook, equant_loop, equant_loop_count, equant_loop_free, equant_loop_stats, &
        equant_open, equant_options, equant_stats, equant_unit_kind
    implicit none
    private
    public :: begin, finish, demand, demand_equal, demand_error, demand_refused, eager
    public :: close_moved, nap, open_eager, step, total
    public :: case_name, rank, ranks

    character(len=32) :: case_name
    integer :: rank, ranks

    interface
        ! Does nothing for a while: under the clock probe that is computing.
        subroutine nap(seconds) bind(C, name="nap")
            import
            real(c_double), value :: seconds
        end subroutine nap
    end interface

contains
    subroutine begin()
        call get_command_argument(1, case_name)
        call MPI_Init()
        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
        call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    end subroutine begin

    subroutine finish()
        write(output_unit, "(3a, i0)") "passed ", trim(case_name), " on rank ", rank
        flush(output_unit)
        call MPI_Finalize()
    end subroutine finish

    subroutine demand(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what

        if (holds) return
        write(error_unit, "(a, i0, 4a)") "FAILED on rank ", rank, ", ", trim(case_name), ": ", what
        flush(error_unit)
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine demand

    subroutine demand_equal(expected, value, what)
        integer(int64), intent(in) :: expected, value
        character(len=*), intent(in) :: what
        character(len=200) :: text

        write(text, "(2a, i0, a, i0)") what, " is ", value, ", not ", expected
        call demand(expected == value, trim(text))
    end subroutine demand_equal

    ! An error that is given back by a function.
    subroutine demand_error(error, what, why)
        integer, intent(in) :: error
        character(len=*), intent(in) :: what, why

        call demand(error < 0, what // " is not refused")
        call demand(equant_error_text(error) == why, &
            what // " is refused for: " // trim(equant_error_text(error)))
    end subroutine demand_error

    ! One that was stored: the next call must store its own, this one is gone.
    subroutine demand_refused(ierror, what, why)
        integer, intent(inout) :: ierror
        character(len=*), intent(in) :: what, why

        call demand_error(ierror, what, why)
        ierror = 0
    end subroutine demand_refused

    ! Options that balance often, move at any prospect of gain, and check all they do.
    function eager() result(options)
        type(equant_options) :: options

        options%period = 0.01_c_double
        options%profit = 0
        options%filter = 0
        options%check = 1
    end function eager

    subroutine open_eager(eq)
        type(equant_context), intent(out) :: eq

        call equant_open(eq, MPI_COMM_WORLD, eager(), probe="clock")
    end subroutine open_eager

    ! Ranks are unequal, and not the same ones for long: work moves at the hook.
    subroutine step(loop, number)
        type(equant_loop), intent(in) :: loop
        integer, intent(in) :: number

        call equant_begin(loop)
        call nap(20e-6_c_double * (1 + mod(rank * 2 + number / 10 * 3, 5)) * &
            equant_loop_count(loop))
        call equant_end(loop)
        call equant_hook(loop)
    end subroutine step

    ! Over all ranks.
    function total(mine) result(sum)
        integer(int64), intent(in) :: mine
        integer(int64) :: sum

        call MPI_Allreduce(mine, sum, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    end function total

    ! The end of a loop in which units must have moved, and of its context.
    subroutine close_moved(loop, eq)
        type(equant_loop), intent(inout) :: loop
        type(equant_context), intent(inout) :: eq
        type(equant_stats) :: stats
        integer(int64) :: moves

        call equant_loop_stats(loop, stats)
        moves = total(int(stats%moves, int64))
        call demand(ranks == 1 .or. moves > 0, "no unit has moved")
        call equant_loop_free(loop)
        call equant_close(eq)
    end subroutine close_moved
end module worker
