! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Loops counted from 1: ranges, owners, arrays of several types that move, varying bounds,
! packed data, the account.
program loops_worker
    use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_funloc, c_int, c_loc, c_long, &
        c_ptr, c_size_t
    use, intrinsic :: iso_fortran_env, only: int8, int64
    use mpi_f08, only: MPI_Allreduce, MPI_COMM_WORLD, MPI_IN_PLACE, MPI_INTEGER, MPI_SUM
    use equant, only: equant_begin, equant_block_order, equant_close, equant_context, &
        equant_cyclic, equant_data_ops, equant_data_pack, equant_data_size, equant_data_unpack, &
        equant_end, equant_end_units, equant_hook, equant_loop, equant_loop_activate, &
        equant_loop_array, equant_loop_broadcast, equant_loop_count, equant_loop_data, &
        equant_loop_deactivate, equant_loop_distribute, equant_loop_free, equant_loop_new, &
        equant_loop_owner, equant_loop_ranges, equant_loop_stats, equant_loop_units, equant_open, &
        equant_probe_features, equant_probe_name, equant_range, equant_stats, equant_unit_kind
    use worker, only: begin, case_name, close_moved, demand, demand_equal, demand_error, &
        demand_refused, finish, open_eager, rank, ranks, step, total
    implicit none

    integer, parameter :: unit_kind = equant_unit_kind
    integer(unit_kind), parameter :: units = 97
    integer, parameter :: steps = 40

    type, bind(C) :: particle
        real(c_double) :: place
        integer(c_int) :: number
    end type particle

    ! A cell's particles for the callbacks.
    type :: cell
        integer(int64), allocatable :: particles(:)
    end type cell

    call begin()
    select case (case_name)
    case ("ranges")
        call ranges()
    case ("distributions")
        call distributions()
    case ("moves")
        call moves()
    case ("results")
        call results()
    case ("varying")
        call varying()
    case ("callbacks")
        call callbacks()
    case ("stats")
        call stats()
    case default
        error stop "no such case"
    end select
    call finish()

contains
    ! Every unit from 1 to the last has one owner, and all ranks agree on it.
    subroutine demand_owned(loop, number)
        type(equant_loop), intent(in) :: loop
        integer(unit_kind), intent(in) :: number
        type(equant_range), allocatable :: own(:)
        integer :: owners(number), holders(number), i
        integer(unit_kind) :: count, unit

        call equant_loop_ranges(loop, own)
        owners = 0
        holders = 0
        count = 0
        do i = 1, size(own)
            call demand(own(i)%first <= own(i)%last, "an empty range")
            if (i > 1) call demand(own(i - 1)%last + 1 < own(i)%first, "ranges touch")
            do unit = own(i)%first, own(i)%last
                owners(unit) = owners(unit) + 1
                holders(unit) = rank
                count = count + 1
            end do
        end do
        call demand_equal(equant_loop_count(loop), count, "units in ranges")
        call MPI_Allreduce(MPI_IN_PLACE, owners, size(owners), MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD)
        call MPI_Allreduce(MPI_IN_PLACE, holders, size(holders), MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD)
        call demand(all(owners == 1), "a unit without one owner")
        do unit = 1, number
            call demand_equal(int(holders(unit), unit_kind), &
                int(equant_loop_owner(loop, unit), unit_kind), "owner")
        end do
    end subroutine demand_owned

    subroutine ranges()
        type(equant_context) :: eq
        type(equant_loop) :: loop
        integer(unit_kind) :: number

        call equant_open(eq, MPI_COMM_WORLD)
        do number = 0, 2 * ranks + 1
            call equant_loop_new(loop, eq, "some  ", number)
            call demand_equal(number, equant_loop_units(loop), "units")
            call demand_owned(loop, number)
            call demand_error(equant_loop_owner(loop, 0_unit_kind), "unit 0", "Invalid argument")
            call demand_error(equant_loop_owner(loop, -huge(number) - 1), "no number", &
                "Invalid argument")
            call demand_error(equant_loop_owner(loop, number + 1), "unit past the last", &
                "Invalid argument")
            call equant_loop_free(loop)
        end do
        call equant_close(eq)
    end subroutine ranges

    subroutine distributions()
        type(equant_context) :: eq
        type(equant_loop) :: loop
        type(equant_range), allocatable :: own(:)
        integer(unit_kind) :: unit
        integer :: ierror

        call equant_open(eq, MPI_COMM_WORLD)
        call equant_loop_new(loop, eq, "dealt", units)
        call equant_loop_distribute(loop, 7, ierror)
        call demand_refused(ierror, "distribution 7", "Invalid argument")
        call equant_loop_distribute(loop, equant_cyclic)
        call demand_owned(loop, units)
        do unit = 1, units
            call demand_equal(mod(unit - 1, int(ranks, unit_kind)), &
                int(equant_loop_owner(loop, unit), unit_kind), "cyclic owner")
        end do
        call equant_loop_distribute(loop, equant_block_order)
        call demand_owned(loop, units)
        call equant_loop_ranges(loop, own)
        call demand(size(own) <= 1, "a rank has more than a block")
        call equant_hook(loop)
        call equant_loop_distribute(loop, equant_cyclic, ierror)
        call demand_refused(ierror, "a distribution after the hook", "Device or resource busy")
        call equant_loop_free(loop)
        call equant_close(eq)
    end subroutine distributions

    ! Arrays of four types and several ranks and lower bounds, whose slices follow their units.
    subroutine moves()
        real(c_double), allocatable, target :: matrix(:, :), box(:, :, :)
        character(len=5), target :: names(units)
        type(particle), allocatable, target :: particles(:, :)
        type(equant_context) :: eq
        type(equant_loop) :: loop
        type(equant_range), allocatable :: own(:)
        integer(unit_kind) :: u
        integer :: i, number

        allocate(matrix(0:20, -1:units - 2), box(3, 1, units), particles(4, units))
        matrix = -1
        box = -1
        names = "none"
        particles = particle(-1, -1)
        call open_eager(eq)
        call equant_loop_new(loop, eq, "slices", units)
        call equant_loop_array(loop, matrix)
        call equant_loop_array(loop, box)
        call equant_loop_array(loop, names)
        call equant_loop_array(loop, particles)
        call equant_loop_ranges(loop, own)
        do i = 1, size(own)
            do u = own(i)%first, own(i)%last
                matrix(:, u - 2) = real(u, c_double)
                box(:, :, u) = real(2 * u, c_double)
                write(names(u), "(i5)") u
                particles(:, u) = particle(0.5_c_double * real(u, c_double), int(u))
            end do
        end do
        do number = 1, steps
            call step(loop, number)
            call equant_loop_ranges(loop, own)
            do i = 1, size(own)
                do u = own(i)%first, own(i)%last
                    call demand_slices(u, matrix(:, u - 2), box(:, :, u), names(u), particles(:, u))
                end do
            end do
        end do
        call demand_owned(loop, units)
        call close_moved(loop, eq)
    end subroutine moves

    subroutine demand_slices(u, column, square, name, some)
        integer(unit_kind), intent(in) :: u
        real(c_double), intent(in) :: column(:), square(:, :)
        character(len=*), intent(in) :: name
        type(particle), intent(in) :: some(:)
        character(len=5) :: expected

        write(expected, "(i5)") u
        call demand(all(nint(column) == u), "a column of the matrix")
        call demand(all(nint(square) == 2 * u), "a plane of the box")
        call demand(name == expected, "a name: " // name)
        call demand(all(nint(2 * some%place) == u) .and. all(some%number == u), "particles")
    end subroutine demand_slices

    ! The logistic map, which forgets nothing of an error in the last bit.
    elemental subroutine iterate(x)
        real(c_double), intent(inout) :: x

        x = 3.99_c_double * x * (1 - x)
    end subroutine iterate

    ! What is computed while units move is bit for bit what one process computes.
    subroutine results()
        real(c_double), allocatable, target :: x(:, :)
        real(c_double), allocatable :: alone(:, :)
        type(equant_context) :: eq
        type(equant_loop) :: loop
        type(equant_range), allocatable :: own(:)
        integer(unit_kind) :: u
        integer :: i, number

        allocate(x(50, units), alone(50, units))
        do u = 1, units
            x(:, u) = real(u, c_double) / (units + 1)
        end do
        alone = x
        call open_eager(eq)
        call equant_loop_new(loop, eq, "maps", units)
        call equant_loop_array(loop, x)
        do number = 1, steps
            call equant_loop_ranges(loop, own)
            do i = 1, size(own)
                call iterate(x(:, own(i)%first:own(i)%last))
            end do
            call iterate(alone)
            call step(loop, number)
        end do
        do u = 1, units
            call equant_loop_broadcast(loop, u)
        end do
        call demand(all(transfer(x, [0_int64]) == transfer(alone, [0_int64])), "a bit is wrong")
        call close_moved(loop, eq)
    end subroutine results

    ! Units are done with from the first one on, as the rows of a factorisation, and come back.
    subroutine varying()
        type(equant_context) :: eq
        type(equant_loop) :: loop
        type(equant_range), allocatable :: own(:)
        integer :: ierror, number

        call open_eager(eq)
        call equant_loop_new(loop, eq, "rows", units)
        do number = 1, steps
            call equant_loop_deactivate(loop, int(number, unit_kind), 1_unit_kind)
            call demand_equal(units - number, total(equant_loop_count(loop)), "active units")
            call equant_loop_ranges(loop, own)
            if (size(own) > 0) call demand(own(1)%first > number, "an inactive unit in a range")
            call step(loop, number)
        end do
        call equant_loop_deactivate(loop, 1_unit_kind, 1_unit_kind, ierror)
        call demand_refused(ierror, "a second deactivation", "Operation already in progress")
        call equant_loop_deactivate(loop, 0_unit_kind, 1_unit_kind, ierror)
        call demand_refused(ierror, "unit 0", "Invalid argument")
        call equant_loop_deactivate(loop, units, 2_unit_kind, ierror)
        call demand_refused(ierror, "a unit past the last", "Invalid argument")
        call equant_loop_activate(loop, 1_unit_kind, int(steps, unit_kind))
        call demand_owned(loop, units)
        call equant_loop_activate(loop, units, 1_unit_kind, ierror)
        call demand_refused(ierror, "a second activation", "Operation already in progress")
        call close_moved(loop, eq)
    end subroutine varying

    function cell_size(context, unit) bind(C) result(bytes)
        type(c_ptr), value :: context
        integer(unit_kind), value :: unit
        integer(c_size_t) :: bytes
        type(cell), pointer :: cells(:)

        call c_f_pointer(context, cells, [units])
        bytes = 8 * size(cells(unit)%particles)
    end function cell_size

    subroutine cell_pack(context, unit, buffer) bind(C)
        type(c_ptr), value :: context, buffer
        integer(unit_kind), value :: unit
        type(cell), pointer :: cells(:)
        integer(int64), pointer :: out(:)

        call c_f_pointer(context, cells, [units])
        call c_f_pointer(buffer, out, [size(cells(unit)%particles)])
        out = cells(unit)%particles
        deallocate(cells(unit)%particles)
    end subroutine cell_pack

    function cell_unpack(context, unit, buffer, bytes) bind(C) result(error)
        type(c_ptr), value :: context, buffer
        integer(unit_kind), value :: unit
        integer(c_size_t), value :: bytes
        integer(c_int) :: error
        type(cell), pointer :: cells(:)
        integer(int64), pointer :: in(:)

        call c_f_pointer(context, cells, [units])
        call c_f_pointer(buffer, in, [bytes / 8])
        allocate(cells(unit)%particles, source=in, stat=error)
    end function cell_unpack

    subroutine callbacks()
        procedure(equant_data_size), pointer :: size_of
        procedure(equant_data_pack), pointer :: pack
        procedure(equant_data_unpack), pointer :: unpack
        type(cell), allocatable, target :: cells(:)
        type(equant_data_ops), target :: ops, none
        type(equant_context) :: eq
        type(equant_loop) :: loop
        integer(unit_kind) :: u
        integer :: ierror, number

        size_of => cell_size
        pack => cell_pack
        unpack => cell_unpack
        allocate(cells(units))
        call open_eager(eq)
        call equant_loop_new(loop, eq, "cells", units)
        call equant_loop_data(loop, none, ierror)
        call demand_refused(ierror, "no callbacks", "Invalid argument")
        ops = equant_data_ops(c_funloc(size_of), c_funloc(pack), c_funloc(unpack), c_loc(cells))
        call equant_loop_data(loop, ops)
        do u = 1, units
            if (equant_loop_owner(loop, u) /= rank) cycle
            cells(u)%particles = spread(u, 1, int(mod(u, 7_unit_kind)))
        end do
        do number = 1, steps
            call step(loop, number)
            do u = 1, units
                call demand((equant_loop_owner(loop, u) == rank) .eqv. &
                    allocated(cells(u)%particles), "a cell is not where its unit is")
                if (.not. allocated(cells(u)%particles)) cycle
                call demand_equal(mod(u, 7_unit_kind), size(cells(u)%particles, kind=int64), "size")
                call demand(all(cells(u)%particles == u), "a cell's particles")
            end do
        end do
        call close_moved(loop, eq)
    end subroutine callbacks

    subroutine stats()
        type(equant_context) :: eq
        type(equant_loop) :: loop
        type(equant_stats) :: s

        call open_eager(eq)
        call demand(equant_probe_name(eq) == "clock", "probe is " // equant_probe_name(eq))
        call demand(iand(equant_probe_features(eq), 1) == 0, "the clock measures no run time")
        call equant_loop_new(loop, eq, "account", units)
        call equant_hook(loop)
        call equant_begin(loop)
        call equant_end(loop)
        call equant_begin(loop)
        call equant_end_units(loop, 5_unit_kind)
        call equant_loop_stats(loop, s)
        call demand_equal(int(rank, c_long), int(s%rank, c_long), "rank")
        call demand_equal(int(ranks, c_long), int(s%ranks, c_long), "ranks")
        call demand(all(s%probe == ["c", "l", "o", "c", "k", spread(" ", 1, 11)]), "probe")
        call demand_equal(equant_loop_count(loop) + 5, s%computed, "computed")
        call demand_equal(1_c_long, s%hooks, "hooks")
        call demand_equal(units, total(s%units), "units")
        call equant_loop_free(loop)
        call equant_close(eq)
    end subroutine stats
end program loops_worker
