! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Sweeps through loops with dependences, whose body counts units and iterations from 1.
module sweep_data
    use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_ptr
    use equant, only: equant_unit_kind
    use worker, only: demand, nap, rank
    implicit none
    private
    public :: body, counts, length, room, units, values, visits, weights

    integer, parameter :: kind = equant_unit_kind
    integer(kind), parameter :: units = 37, length = 50
    integer, parameter :: room = 2 ! elements before iteration 1

    ! Two values per iteration, and one element more at either end of the units.
    real(c_double), allocatable, target :: values(:, :, :), weights(:)
    integer(kind), allocatable, target :: counts(:)
    integer :: visits = 0

contains
    ! Each value depends on the new one of the unit before and the old one of the unit after.
    subroutine body(context, first, last, from, to) bind(C)
        type(c_ptr), value :: context
        integer(kind), value :: first, last, from, to
        real(c_double), pointer :: weight
        integer(kind) :: i, u

        call c_f_pointer(context, weight)
        call demand(1 <= first .and. first <= last .and. last <= units, "units of a strip")
        call demand(1 <= from .and. from <= to .and. to <= length, "iterations of a strip")
        visits = visits + 1
        ! Ranks are unequal, and not the same ones for long: work moves between strips.
        call nap(2e-6_c_double * (1 + mod(rank * 2 + visits / 10 * 3, 5)) * &
            ((last - first + 1) * (to - from + 1)))
        do u = first, last
            do i = from, to
                values(:, room + i, u) = weight * (values(:, room + i, u - 1) + &
                    values(:, room + i, u + 1) + values(:, room + i - 1, u))
            end do
            counts(u) = counts(u) + to - from + 1
        end do
    end subroutine body
end module sweep_data

program sweeps_worker
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_loc
    use, intrinsic :: iso_fortran_env, only: int64
    use equant, only: equant_block_order, equant_close, equant_context, equant_loop, &
        equant_loop_array, equant_loop_broadcast, equant_loop_distribute, equant_loop_free, &
        equant_loop_new, equant_loop_pipelined, equant_loop_stats, equant_loop_sweep, &
        equant_stats, equant_unit_kind
    use worker, only: begin, case_name, close_moved, demand, demand_equal, demand_refused, &
        finish, open_eager
    use sweep_data, only: body, counts, length, room, units, values, visits, weights
    implicit none

    integer, parameter :: kind = equant_unit_kind
    integer(kind), parameter :: sweeps = 15

    type(equant_context) :: eq
    type(equant_loop) :: loop

    call begin()
    call open_eager(eq)
    call equant_loop_new(loop, eq, "columns", units)
    select case (case_name)
    case ("sweep")
        call sweep()
    case ("refused")
        call refused()
        call equant_loop_free(loop)
        call equant_close(eq)
    case default
        error stop "no such case"
    end select
    call finish()

contains
    subroutine fill(a)
        real(c_double), intent(out) :: a(:, :, 0:)
        integer(kind) :: i, u

        do u = 0, units + 1
            do i = 1, size(a, 2, kind)
                a(:, i, u) = [sin(real(i * 7 + u * 13, c_double)), cos(real(i - u, c_double))]
            end do
        end do
    end subroutine fill

    ! Bit for bit what one process computes, each unit and iteration once a sweep.
    subroutine sweep()
        real(c_double), allocatable :: alone(:, :, :)
        real(c_double), target :: weight
        type(equant_stats) :: stats
        integer(kind) :: i, n, u

        weight = 0.31_c_double
        allocate(values(2, room + length, 0:units + 1), alone(2, room + length, 0:units + 1))
        allocate(counts(units), source=0_kind)
        call fill(values)
        call fill(alone)
        call equant_loop_distribute(loop, equant_block_order)
        call equant_loop_array(loop, values(:, :, 1:units))
        call equant_loop_pipelined(loop, values(:, :, 1:units), int(room, kind))
        call equant_loop_array(loop, counts)
        do n = 1, sweeps
            call equant_loop_sweep(loop, length, body, c_loc(weight))
            do u = 1, units
                do i = room + 1, room + length
                    alone(:, i, u) = weight * (alone(:, i, u - 1) + alone(:, i, u + 1) + &
                        alone(:, i - 1, u))
                end do
            end do
        end do
        do u = 1, units
            call equant_loop_broadcast(loop, u)
        end do
        call demand(all(counts == sweeps * length), "an iteration was not computed once")
        call demand(all(transfer(values, [0_int64]) == transfer(alone, [0_int64])), &
            "a bit is wrong")
        call equant_loop_stats(loop, stats)
        call demand_equal(sweeps, int(stats%sweeps, kind), "sweeps")
        call demand(stats%block >= 1 .and. stats%block <= length, "the block size")
        call demand(visits > 0 .or. stats%computed == 0, "a body that was not called")
        call close_moved(loop, eq)
    end subroutine sweep

    subroutine refused()
        real(c_double), target :: other(2, 8, units)
        integer :: ierror

        allocate(values(2, 8, units), weights(units))
        call equant_loop_sweep(loop, length, body, ierror=ierror)
        call demand_refused(ierror, "a sweep of a loop that is not in block order", &
            "Invalid argument")
        call equant_loop_distribute(loop, equant_block_order)
        call equant_loop_array(loop, values)
        call equant_loop_array(loop, weights)
        call equant_loop_pipelined(loop, other, ierror=ierror)
        call demand_refused(ierror, "an array that is not the loop's", "Invalid argument")
        call equant_loop_pipelined(loop, values(:, ::2, :), ierror=ierror)
        call demand_refused(ierror, "an array with gaps", "Invalid argument")
        call equant_loop_pipelined(loop, weights, ierror=ierror)
        call demand_refused(ierror, "an array without an inner dimension", "Invalid argument")
        call equant_loop_pipelined(loop, values, -1_kind, ierror)
        call demand_refused(ierror, "a negative skip", "Invalid argument")
        call equant_loop_pipelined(loop, values, 8_kind, ierror)
        call demand_refused(ierror, "a skip of the whole slice", "Invalid argument")
    end subroutine refused
end program sweeps_worker
