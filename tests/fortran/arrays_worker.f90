! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Arrays that have no slices are refused; those that have are taken as they are, never a copy.
program arrays_worker
    use, intrinsic :: iso_c_binding, only: c_double, c_int
    use mpi_f08, only: MPI_COMM_WORLD
    use equant, only: equant_close, equant_context, equant_hook, equant_loop, equant_loop_array, &
        equant_loop_broadcast, equant_loop_free, equant_loop_new, equant_loop_owner, equant_open, &
        equant_unit_kind
    use worker, only: begin, case_name, demand, demand_refused, finish, rank
    implicit none

    integer, parameter :: unit_kind = equant_unit_kind
    integer(unit_kind), parameter :: units = 12

    type :: pair
        real(c_double) :: first, second
    end type pair

    type(equant_context) :: eq
    type(equant_loop) :: loop
    real(c_double), allocatable, target :: none(:, :)

    call begin()
    call equant_open(eq, MPI_COMM_WORLD)
    call equant_loop_new(loop, eq, "rows", units)
    select case (case_name)
    case ("refused")
        call refused()
    case ("sections")
        call sections()
    case ("nothing")
        call nothing()
    case ("late")
        call late()
    case ("end")
        call end_without_ierror()
    case default
        error stop "no such case"
    end select
    call equant_loop_free(loop)
    call equant_close(eq)
    call finish()

contains
    subroutine demand_refusal(ierror, what)
        integer, intent(inout) :: ierror
        character(len=*), intent(in) :: what

        call demand_refused(ierror, what, "Invalid argument")
    end subroutine demand_refusal

    subroutine refused()
        real(c_double), allocatable, target :: a(:, :)
        real(c_double), target :: long(units + 1), scalar, cube(2, 3, 2 * units)
        type(pair), target :: pairs(units)
        integer :: ierror

        allocate(a(8, units))
        call equant_loop_array(loop, a(::2, :), ierror)
        call demand_refusal(ierror, "every other element")
        call equant_loop_array(loop, a(1:7, :), ierror)
        call demand_refusal(ierror, "a part of each slice")
        call equant_loop_array(loop, a(:, units:1:-1), ierror)
        call demand_refusal(ierror, "units backwards")
        call equant_loop_array(loop, cube(:, :, ::2), ierror)
        call demand_refusal(ierror, "every other unit")
        call equant_loop_array(loop, cube(:, 1:2, 1:units), ierror)
        call demand_refusal(ierror, "a gap in the middle")
        call equant_loop_array(loop, pairs%second, ierror)
        call demand_refusal(ierror, "a component of each element")
        call equant_loop_array(loop, long, ierror)
        call demand_refusal(ierror, "one unit more")
        call equant_loop_array(loop, a(:, 2:), ierror)
        call demand_refusal(ierror, "one unit less")
        call equant_loop_array(loop, scalar, ierror)
        call demand_refusal(ierror, "a scalar")
        call equant_loop_array(loop, none, ierror)
        call demand_refusal(ierror, "no array")
        call assumed_size(a)
    end subroutine refused

    subroutine assumed_size(array)
        real(c_double), target, intent(inout) :: array(8, *)
        integer :: ierror

        call equant_loop_array(loop, array, ierror)
        call demand_refusal(ierror, "an array of assumed size")
    end subroutine assumed_size

    ! Whole units of a larger array, a pointer, an assumed-shape argument with bounds of its own.
    subroutine sections()
        real(c_double), allocatable, target :: large(:, :)
        real(c_double), target :: other(3, units)
        real(c_double), pointer :: p(:, :)
        integer(unit_kind) :: u

        allocate(large(5, 2 * units), source=0.0_c_double)
        other = 0
        p => other
        call equant_loop_array(loop, large(:, 4:units + 3))
        call equant_loop_array(loop, p)
        do u = 1, units
            if (equant_loop_owner(loop, u) /= rank) cycle
            large(:, u + 3) = real(u, c_double)
            other(:, u) = -real(u, c_double)
        end do
        do u = 1, units
            call equant_loop_broadcast(loop, u)
        end do
        do u = 1, units
            call demand(all(nint(large(:, u + 3)) == u), "a slice of the section")
            call demand(all(nint(other(:, u)) == -u), "a slice behind the pointer")
        end do
        call demand(all(nint(large(:, :3)) == 0) .and. all(nint(large(:, units + 4:)) == 0), &
            "an element beside the section")
    end subroutine sections

    ! A loop of no units and slices of no bytes.
    subroutine nothing()
        type(equant_loop) :: none
        real(c_double), target :: no_units(4, 0), no_bytes(0, units)
        integer :: ierror

        call equant_loop_array(loop, no_bytes, ierror)
        call demand_refusal(ierror, "slices of no bytes")
        call equant_loop_new(none, eq, "none", 0_unit_kind)
        call equant_loop_array(none, no_units)
        call equant_hook(none)
        call equant_loop_free(none)
    end subroutine nothing

    subroutine late()
        integer(c_int), target :: a(units)
        integer :: ierror

        a = 0
        call equant_hook(loop)
        call equant_loop_array(loop, a, ierror)
        call demand_refused(ierror, "an array after the first hook", "Device or resource busy")
    end subroutine late

    ! Nobody looks, so nobody goes on.
    subroutine end_without_ierror()
        real(c_double), target :: a(2, units)

        a = 0
        call equant_loop_array(loop, a(1, :))
    end subroutine end_without_ierror
end program arrays_worker
