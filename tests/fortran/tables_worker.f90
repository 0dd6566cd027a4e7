! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Slice tables of every kind while units move, and copies of neighbours' slices.
program tables_worker
    use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_f_pointer, c_int, c_ptr, &
        c_size_t
    use equant, only: equant_block_order, equant_close, equant_context, equant_loop, &
        equant_loop_count, equant_loop_distribute, equant_loop_free, equant_loop_ghosts_finish, &
        equant_loop_ghosts_start, equant_loop_neighbours, equant_loop_new, equant_loop_owner, &
        equant_loop_ranges, equant_loop_table, equant_range, equant_table, equant_table_auto, &
        equant_table_copy, equant_table_forget, equant_table_indexed, equant_table_kind, &
        equant_table_next, equant_table_packed, equant_table_restricted, equant_table_reverse, &
        equant_table_scattered, equant_table_slice, equant_unit_kind
    use worker, only: begin, case_name, close_moved, demand, demand_equal, demand_error, &
        demand_refused, finish, open_eager, rank, step
    implicit none

    integer, parameter :: kind = equant_unit_kind
    integer(kind), parameter :: units = 53
    integer, parameter :: width = 20, steps = 30
    integer(c_size_t), parameter :: bytes = 8 * width

    type(equant_context) :: eq
    type(equant_loop) :: loop

    call begin()
    call open_eager(eq)
    call equant_loop_new(loop, eq, "rows", units)
    select case (case_name)
    case ("kinds")
        call kinds()
    case ("neighbours")
        call neighbours()
    case ("refused")
        call refused()
    case default
        error stop "no such case"
    end select
    call finish()

contains
    subroutine fill(table)
        type(equant_table), intent(in) :: table
        real(c_double), pointer :: row(:)
        type(c_ptr) :: slice
        integer(kind) :: cursor, u

        cursor = 0
        do
            call equant_table_next(table, cursor, u, slice)
            if (.not. c_associated(slice)) exit
            call c_f_pointer(slice, row, [width])
            call demand(all(nint(row) == 0), "a slice is not zero at first")
            row = real(u, c_double)
        end do
    end subroutine fill

    subroutine demand_row(slice, u)
        type(c_ptr), intent(in) :: slice
        integer(kind), intent(in) :: u
        real(c_double), pointer :: row(:)

        call demand(c_associated(slice), "no slice")
        call c_f_pointer(slice, row, [width])
        call demand(all(nint(row) == u), "a slice of another unit")
    end subroutine demand_row

    ! Slices where the units are, none elsewhere, and each once in the table's order.
    subroutine demand_table(table)
        type(equant_table), intent(in) :: table
        type(c_ptr) :: slice
        integer(kind) :: count, cursor, u

        do u = 1, units
            slice = equant_table_slice(table, u)
            call demand(c_associated(slice) .eqv. equant_loop_owner(loop, u) == rank, "a slice")
            if (c_associated(slice)) call demand_row(slice, u)
        end do
        cursor = 0
        count = 0
        do
            call equant_table_next(table, cursor, u, slice)
            if (.not. c_associated(slice)) exit
            call demand_row(slice, u)
            count = count + 1
        end do
        call demand_equal(equant_loop_count(loop), count, "slices")
    end subroutine demand_table

    subroutine kinds()
        integer, parameter :: all(5) = [equant_table_scattered, equant_table_indexed, &
            equant_table_packed, equant_table_reverse, equant_table_auto]
        type(equant_table) :: tables(5)
        integer :: i, n

        do i = 1, 5
            call equant_loop_table(tables(i), loop, bytes, all(i))
            call fill(tables(i))
        end do
        call demand(equant_table_kind(tables(3)) == equant_table_packed, "the kind")
        call demand(equant_table_kind(tables(5)) == equant_table_reverse, "the automatic kind")
        do n = 1, steps
            call step(loop, n)
            do i = 1, 5
                call demand_table(tables(i))
            end do
        end do
        call close_moved(loop, eq)
    end subroutine kinds

    subroutine neighbours()
        type(equant_range), allocatable :: own(:)
        type(equant_table) :: table
        integer :: n

        call equant_loop_distribute(loop, equant_block_order)
        call equant_loop_table(table, loop, bytes, equant_table_auto)
        call demand(equant_table_kind(table) == equant_table_restricted, "the automatic kind")
        call fill(table)
        call equant_loop_neighbours(loop, 1_kind, 0_kind)
        do n = 1, steps
            call step(loop, n)
            call demand_table(table)
            call equant_loop_ranges(loop, own)
            if (size(own) == 0) cycle
            if (own(1)%first > 1) call demand_row(equant_table_copy(table, own(1)%first - 1), &
                own(1)%first - 1)
        end do
        call equant_loop_neighbours(loop, 0_kind, 0_kind)
        call equant_loop_ghosts_start(loop, 0_kind, 1_kind)
        call equant_loop_ghosts_finish(loop)
        call equant_loop_ranges(loop, own)
        if (size(own) > 0) then
            if (own(1)%last < units) call demand_row(equant_table_copy(table, own(1)%last + 1), &
                own(1)%last + 1)
            call equant_table_forget(table)
            call demand(.not. c_associated(equant_table_copy(table, own(1)%last + 1)), &
                "a copy that was forgotten")
        end if
        call close_moved(loop, eq)
    end subroutine neighbours

    subroutine refused()
        type(equant_table) :: table
        type(c_ptr) :: slice
        integer(kind) :: cursor, u
        integer :: ierror

        call equant_loop_table(table, loop, 0_c_size_t, equant_table_auto, ierror)
        call demand_refused(ierror, "slices of no bytes", "Invalid argument")
        call equant_loop_table(table, loop, bytes, 17, ierror)
        call demand_refused(ierror, "a kind that is none", "Invalid argument")
        call equant_loop_table(table, loop, bytes, equant_table_restricted, ierror)
        call demand_refused(ierror, "a restricted table without an order", "Invalid argument")
        call demand_error(equant_table_kind(table), "the kind of no table", "Invalid argument")
        call demand(.not. c_associated(equant_table_slice(table, 1_kind)), "a slice of no table")
        cursor = 0
        call equant_table_next(table, cursor, u, slice)
        call demand(.not. c_associated(slice), "a step through no table")
        call equant_loop_table(table, loop, bytes, equant_table_auto)
        call demand(.not. c_associated(equant_table_slice(table, 0_kind)), "a slice of unit 0")
        call demand(.not. c_associated(equant_table_slice(table, units + 1)), "a slice past all")
        call equant_loop_free(loop)
        call equant_close(eq)
    end subroutine refused
end program tables_worker
