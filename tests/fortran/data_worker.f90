! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Single slices, neighbours' slices and reductions, while units move from rank to rank.
program data_worker
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    use, intrinsic :: iso_c_binding, only: c_double
    use, intrinsic :: iso_fortran_env, only: int64
    use mpi_f08, only: MPI_COMM_SELF
    use equant, only: equant_allreduce_units, equant_block_order, equant_close, equant_context, &
        equant_loop, equant_loop_array, equant_loop_broadcast, equant_loop_copy, &
        equant_loop_distribute, equant_loop_exchange, equant_loop_free, equant_loop_ghosts_finish, &
        equant_loop_ghosts_start, equant_loop_new, equant_loop_owner, equant_loop_ranges, &
        equant_loop_rename, equant_max, equant_min, equant_open, equant_range, equant_sum, &
        equant_unit_kind
    use worker, only: begin, case_name, close_moved, demand, demand_equal, demand_refused, &
        finish, open_eager, rank, ranks, step
    implicit none

    integer, parameter :: unit_kind = equant_unit_kind
    integer(unit_kind), parameter :: units = 97
    integer, parameter :: width = 1001, steps = 40

    integer(int64), allocatable, target :: rows(:, :)
    integer(int64) :: content(units) ! what each row must hold: rows are exchanged
    type(equant_context) :: eq
    type(equant_loop) :: loop

    call begin()
    select case (case_name)
    case ("broadcast")
        call set_up(.false.)
        call broadcast()
    case ("copy")
        call set_up(.false.)
        call copy()
    case ("exchange")
        call set_up(.false.)
        call exchange()
    case ("ghosts")
        call set_up(.true.)
        call ghosts()
    case ("reductions")
        call set_up(.false.)
        call reductions()
    case default
        error stop "no such case"
    end select
    call close_moved(loop, eq)
    call finish()

contains
    subroutine set_up(order)
        logical, intent(in) :: order
        integer(unit_kind) :: u
        integer :: i

        allocate(rows(width, units), source=-1_int64)
        call open_eager(eq)
        call equant_loop_new(loop, eq, "rows", units)
        if (order) call equant_loop_distribute(loop, equant_block_order)
        call equant_loop_array(loop, rows)
        do u = 1, units
            content(u) = u
            if (equant_loop_owner(loop, u) /= rank) cycle
            rows(:, u) = [(u * width + i, i = 1, width)]
        end do
    end subroutine set_up

    subroutine demand_row(unit)
        integer(unit_kind), intent(in) :: unit
        integer :: i

        do i = 1, width
            call demand_equal(content(unit) * width + i, rows(i, unit), "an element")
        end do
    end subroutine demand_row

    subroutine demand_own()
        type(equant_range), allocatable :: own(:)
        integer(unit_kind) :: u
        integer :: i

        call equant_loop_ranges(loop, own)
        do i = 1, size(own)
            do u = own(i)%first, own(i)%last
                call demand_row(u)
            end do
        end do
    end subroutine demand_own

    subroutine broadcast()
        integer(unit_kind) :: unit
        integer :: ierror, n

        do n = 1, steps
            unit = mod(n * 31_unit_kind, units) + 1
            call step(loop, n)
            call equant_loop_broadcast(loop, unit)
            call demand_row(unit)
        end do
        call equant_loop_broadcast(loop, 0_unit_kind, ierror)
        call demand_refused(ierror, "unit 0", "Invalid argument")
        call equant_loop_broadcast(loop, units + 1, ierror)
        call demand_refused(ierror, "a unit past the last", "Invalid argument")
        call equant_loop_broadcast(loop, units)
        call demand_row(units)
    end subroutine broadcast

    subroutine copy()
        integer(unit_kind) :: unit
        integer :: ierror, n, to

        do n = 1, steps
            unit = mod(n * 17_unit_kind, units) + 1
            to = mod(n, ranks)
            call step(loop, n)
            call equant_loop_copy(loop, unit, to)
            if (rank == to) call demand_row(unit)
        end do
        call equant_loop_copy(loop, 1_unit_kind, ranks, ierror)
        call demand_refused(ierror, "a copy to no rank", "Invalid argument")
    end subroutine copy

    subroutine exchange()
        integer(unit_kind) :: a, b
        integer(int64) :: kept
        integer :: n

        do n = 1, steps
            a = mod(n * 13_unit_kind, units) + 1
            b = mod(int(n, unit_kind)**2, units) + 1
            call step(loop, n)
            if (mod(n, 2) == 0) then
                call equant_loop_exchange(loop, a, b)
            else
                call equant_loop_rename(loop, a, b)
            end if
            kept = content(a)
            content(a) = content(b)
            content(b) = kept
            call demand_own()
        end do
    end subroutine exchange

    ! One below and two above each block, as far as there are any.
    subroutine ghosts()
        type(equant_range), allocatable :: own(:)
        integer(unit_kind) :: u
        integer :: ierror, n

        do n = 1, steps
            call step(loop, n)
            call equant_loop_ghosts_start(loop, 1_unit_kind, 2_unit_kind)
            call equant_loop_ghosts_finish(loop)
            call equant_loop_ranges(loop, own)
            if (size(own) == 0) cycle
            do u = max(own(1)%first - 1, 1_unit_kind), min(own(1)%last + 2, units)
                call demand_row(u)
            end do
        end do
        call equant_loop_ghosts_start(loop, -1_unit_kind, 0_unit_kind, ierror)
        call demand_refused(ierror, "a negative width", "Invalid argument")
    end subroutine ghosts

    ! What a job of one rank gets, which owns every unit.
    subroutine alone(values, operation, result, unit)
        real(c_double), intent(in) :: values(:)
        integer, intent(in) :: operation
        real(c_double), intent(out) :: result
        integer(unit_kind), intent(out) :: unit
        type(equant_context) :: self
        type(equant_loop) :: whole

        call equant_open(self, MPI_COMM_SELF)
        call equant_loop_new(whole, self, "alone", units)
        call equant_allreduce_units(whole, values, operation, result, unit)
        call equant_loop_free(whole)
        call equant_close(self)
    end subroutine alone

    subroutine demand_reduced(values, operation)
        real(c_double), intent(in) :: values(:)
        integer, intent(in) :: operation
        real(c_double) :: expected, own(units), result
        integer(unit_kind) :: expected_unit, u, unit

        own = ieee_value(own, ieee_quiet_nan) ! what is not ours is not read
        do u = 1, units
            if (equant_loop_owner(loop, u) == rank) own(u) = values(u)
        end do
        call alone(values, operation, expected, expected_unit)
        call equant_allreduce_units(loop, own, operation, result, unit)
        call demand(transfer(result, 0_int64) == transfer(expected, 0_int64), "a bit is wrong")
        call demand_equal(expected_unit, unit, "the unit of the extreme")
    end subroutine demand_reduced

    subroutine reductions()
        real(c_double) :: result, values(units), spaced(2 * units), grid(2, units)
        integer(unit_kind) :: u, unit
        integer :: ierror, n

        do n = 1, steps / 4
            call step(loop, n)
            values = [(sin(real(u * 7919 + n, c_double)) * &
                2.0_c_double**(mod(u * 37, 400_unit_kind) - 200), u = 1, units)]
            call demand_reduced(values, equant_sum)
            call demand_reduced(values, equant_min)
            call demand_reduced(values, equant_max)
        end do
        values = 0
        values([41, 42, 91]) = 5
        call equant_allreduce_units(loop, values, equant_max, result, unit)
        call demand_equal(41_int64, unit, "the lowest unit of the largest")
        call equant_allreduce_units(loop, values, equant_sum, result)
        call demand(nint(result) == 15, "the sum")
        spaced = 0
        grid = 0
        call equant_allreduce_units(loop, spaced(::2), equant_sum, result, ierror=ierror)
        call demand_refused(ierror, "values with gaps", "Invalid argument")
        call equant_allreduce_units(loop, grid(2, :), equant_sum, result, ierror=ierror)
        call demand_refused(ierror, "a component of each unit", "Invalid argument")
        call equant_allreduce_units(loop, values(units:1:-1), equant_sum, result, ierror=ierror)
        call demand_refused(ierror, "values backwards", "Invalid argument")
        call equant_allreduce_units(loop, values(2:), equant_sum, result, ierror=ierror)
        call demand_refused(ierror, "too few values", "Invalid argument")
        call equant_allreduce_units(loop, spaced, equant_sum, result, ierror=ierror)
        call demand_refused(ierror, "too many values", "Invalid argument")
        call equant_allreduce_units(loop, values, 9, result, ierror=ierror)
        call demand_refused(ierror, "operation 9", "Invalid argument")
        call equant_allreduce_units(loop, values, equant_sum, result, ierror=ierror)
        call demand(ierror == 0 .and. nint(result) == 15, "the sum after what was refused")
    end subroutine reductions
end program data_worker
