! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Passes with hooks between their units.
program passes_worker
    use, intrinsic :: iso_c_binding, only: c_double
    use, intrinsic :: iso_fortran_env, only: int64
    use mpi_f08, only: MPI_COMM_WORLD
    use equant, only: equant_close, equant_context, equant_loop, equant_loop_array, &
        equant_loop_broadcast, equant_loop_free, equant_loop_new, equant_mode_asynchronous, &
        equant_mode_pipelined, equant_next, equant_open, equant_options, equant_pass, &
        equant_pass_begin, equant_pass_end, equant_pass_join, equant_unit_kind
    use worker, only: begin, case_name, close_moved, demand, demand_equal, demand_refused, eager, &
        finish, nap, open_eager, rank, total
    implicit none

    integer, parameter :: kind = equant_unit_kind
    integer(kind), parameter :: units = 60, passes = 12

    type(equant_context) :: eq
    type(equant_loop) :: loop

    call begin()
    select case (case_name)
    case ("pipelined")
        call run(equant_mode_pipelined)
    case ("asynchronous")
        call run(equant_mode_asynchronous)
    case ("refused")
        call refused()
    case default
        error stop "no such case"
    end select
    call finish()

contains
    ! Each unit once a pass, wherever it is, and its value that of the sequential program.
    subroutine run(mode)
        integer, intent(in) :: mode
        real(c_double), target :: x(units)
        integer(kind), target :: counts(units)
        real(c_double) :: alone(units)
        type(equant_options) :: options
        integer(kind) :: handed, pass, u

        options = eager()
        options%mode = mode
        call equant_open(eq, MPI_COMM_WORLD, options, probe="clock")
        call equant_loop_new(loop, eq, "rows", units)
        x = [(real(u, c_double) / (units + 1), u = 1, units)]
        alone = x
        counts = 0
        handed = 0
        call equant_loop_array(loop, x)
        call equant_loop_array(loop, counts)
        call demand_equal(0_int64, int(equant_pass(loop), int64), "the pass before the first")
        do pass = 1, passes
            call equant_pass_begin(loop)
            if (pass == passes) call equant_pass_join(loop)
            do while (equant_next(loop, u))
                call demand(1 <= u .and. u <= units, "a unit")
                call demand_equal(int(counts(u) + 1, int64), int(equant_pass(loop), int64), "pass")
                call nap(1e-4_c_double * (1 + mod(rank * 2 + int(handed) / 50 * 3, 5)))
                x(u) = 3.99_c_double * x(u) * (1 - x(u))
                counts(u) = counts(u) + 1
                handed = handed + 1
            end do
            call equant_pass_end(loop)
            alone = 3.99_c_double * alone * (1 - alone)
        end do
        call demand_equal(int(units * passes, int64), total(int(handed, int64)), "units handed out")
        do u = 1, units
            call equant_loop_broadcast(loop, u)
        end do
        call demand(all(counts == passes), "a unit was not computed once a pass")
        call demand(all(transfer(x, [0_int64]) == transfer(alone, [0_int64])), "a bit is wrong")
        call close_moved(loop, eq)
    end subroutine run

    subroutine refused()
        type(equant_loop) :: none
        integer(kind) :: u
        integer :: ierror

        call open_eager(eq)
        call equant_loop_new(loop, eq, "rows", units)
        call equant_pass_begin(none, ierror)
        call demand_refused(ierror, "a pass over no loop", "Invalid argument")
        if (equant_next(none, u)) call demand(.false., "a unit of no loop")
        call equant_pass_begin(loop)
        call equant_pass_begin(loop, ierror)
        call demand_refused(ierror, "a pass within a pass", "Invalid argument")
        call equant_loop_free(loop, ierror)
        call equant_loop_new(loop, eq, "others", units)
        call equant_pass_end(loop, ierror)
        call demand_refused(ierror, "the end of no pass", "Invalid argument")
        call equant_loop_free(loop, ierror)
        call equant_close(eq, ierror)
    end subroutine refused
end program passes_worker
