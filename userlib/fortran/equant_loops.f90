! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Loops, their data, hooks: interfaces of the C functions in loop.c, array.c and data.c.
module equant_loops
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int
    use equant_types, only: equant_context, equant_data_ops, equant_loop, equant_range, &
        equant_stats, equant_unit_kind
    implicit none
    private
    public :: equant_loop_new, equant_loop_free, equant_loop_array, equant_loop_data
    public :: equant_loop_share, equant_loop_distribute
    public :: equant_loop_deactivate, equant_loop_activate
    public :: equant_loop_units, equant_loop_ranges, equant_loop_count, equant_loop_owner
    public :: equant_loop_broadcast, equant_loop_copy, equant_loop_exchange, equant_loop_rename
    public :: equant_loop_ghosts_start, equant_loop_ghosts_finish, equant_loop_neighbours
    public :: equant_allreduce_units
    public :: equant_begin, equant_end, equant_end_units, equant_hook, equant_loop_stats

    ! ---- loops -------------------------------------------------------------------

    interface
        ! Collective; a loop of independent iterations.  The name has 1 to 39 bytes.
        subroutine equant_loop_new(loop, eq, name, units, ierror) &
                bind(C, name="equant_fortran_loop_new")
            import
            type(equant_loop), intent(out) :: loop
            type(equant_context), intent(in) :: eq
            character(kind=c_char, len=*), intent(in) :: name
            integer(equant_unit_kind), intent(in) :: units
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_new

        ! Collective; complete what is under way, write the report, free.
        subroutine equant_loop_free(loop, ierror) bind(C, name="equant_fortran_loop_free")
            import
            type(equant_loop), intent(inout) :: loop
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_free

        ! An array whose slices move with the units: unit u's is array(:, ..., u).  Of any type
        ! without pointers, allocatable or assumed-shape, contiguous, with the target attribute;
        ! its last extent is the loop's number of units.
        subroutine equant_loop_array(loop, array, ierror) bind(C, name="equant_fortran_loop_array")
            import
            type(equant_loop), intent(in) :: loop
            type(*), dimension(..), intent(inout), target, asynchronous :: array
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_array

        ! Data of a unit that is no array.
        subroutine equant_loop_data(loop, ops, ierror) bind(C, name="equant_fortran_loop_data")
            import
            type(equant_loop), intent(in) :: loop
            type(equant_data_ops), intent(in), target :: ops
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_data

        ! Collective; two loops over the same data have one distribution from now on.
        subroutine equant_loop_share(second, first, ierror) &
                bind(C, name="equant_fortran_loop_share")
            import
            type(equant_loop), intent(in) :: second, first
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_share

        ! Collective; equant_block, equant_cyclic or equant_block_order.
        subroutine equant_loop_distribute(loop, distribution, ierror) &
                bind(C, name="equant_fortran_loop_distribute")
            import
            type(equant_loop), intent(in) :: loop
            integer(c_int), intent(in) :: distribution
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_distribute

        ! Collective; count units from first on are done with, for now.
        subroutine equant_loop_deactivate(loop, first, count, ierror) &
                bind(C, name="equant_fortran_loop_deactivate")
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: first, count
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_deactivate

        ! The other way round.
        subroutine equant_loop_activate(loop, first, count, ierror) &
                bind(C, name="equant_fortran_loop_activate")
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: first, count
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_activate

        ! Units of the loop, active or not; 0 for no loop.
        function equant_loop_units(loop) bind(C, name="equant_fortran_loop_units") result(units)
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind) :: units
        end function equant_loop_units

        ! Active units that this rank owns; 0 for no loop.
        function equant_loop_count(loop) bind(C, name="equant_fortran_loop_count") result(units)
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind) :: units
        end function equant_loop_count

        ! The rank that owns a unit, or a negative error.
        function equant_loop_owner(loop, unit) bind(C, name="equant_fortran_loop_owner") &
                result(rank)
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: unit
            integer(c_int) :: rank
        end function equant_loop_owner
    end interface

    ! ---- distributed data --------------------------------------------------------

    interface
        ! Collective; everybody gets the slices of one unit.
        subroutine equant_loop_broadcast(loop, unit, ierror) &
                bind(C, name="equant_fortran_loop_broadcast")
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: unit
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_broadcast

        ! One rank gets them; called by the owner and by that rank at least.
        subroutine equant_loop_copy(loop, unit, to, ierror) bind(C, name="equant_fortran_loop_copy")
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: unit
            integer(c_int), intent(in) :: to
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_copy

        ! Swap the contents of two units' slices; called by both owners at least.
        subroutine equant_loop_exchange(loop, a, b, ierror) &
                bind(C, name="equant_fortran_loop_exchange")
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: a, b
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_exchange

        ! Collective, no message; two units change names, their slices stay where they are.
        subroutine equant_loop_rename(loop, a, b, ierror) &
                bind(C, name="equant_fortran_loop_rename")
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: a, b
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_rename

        ! Collective; begin to fetch the slices around each block.
        subroutine equant_loop_ghosts_start(loop, below, above, ierror) &
                bind(C, name="equant_fortran_loop_ghosts_start")
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: below, above
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_ghosts_start

        ! They are here.
        subroutine equant_loop_ghosts_finish(loop, ierror) &
                bind(C, name="equant_fortran_loop_ghosts_finish")
            import
            type(equant_loop), intent(in) :: loop
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_ghosts_finish

        ! Collective; keep copies of the slices around each block, fetched when units have moved.
        subroutine equant_loop_neighbours(loop, below, above, ierror) &
                bind(C, name="equant_fortran_loop_neighbours")
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: below, above
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_neighbours

        ! Collective; reduce values(u) over the units u, each rank its own, to the last bit the
        ! same everywhere.  unit: the lowest one that has the extreme.
        subroutine equant_allreduce_units(loop, values, operation, result, unit, ierror) &
                bind(C, name="equant_fortran_allreduce_units")
            import
            type(equant_loop), intent(in) :: loop
            real(c_double), intent(in) :: values(:)
            integer(c_int), intent(in) :: operation
            real(c_double), intent(out) :: result
            integer(equant_unit_kind), intent(out), optional :: unit
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_allreduce_units
    end interface

    ! ---- measuring ---------------------------------------------------------------

    interface
        ! A compute section starts.
        subroutine equant_begin(loop) bind(C, name="equant_fortran_begin")
            import
            type(equant_loop), intent(in) :: loop
        end subroutine equant_begin

        ! It ends; all units of this rank were computed once.
        subroutine equant_end(loop) bind(C, name="equant_fortran_end")
            import
            type(equant_loop), intent(in) :: loop
        end subroutine equant_end

        ! It ends; so many units were computed.
        subroutine equant_end_units(loop, units) bind(C, name="equant_fortran_end_units")
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: units
        end subroutine equant_end_units

        ! Balancing may happen here: units, and with them slices of registered arrays, may
        ! come or go.  Unless a phase is due it is a call, a decrement and two branches.
        subroutine equant_hook(loop, ierror) bind(C, name="equant_fortran_hook")
            import
            type(equant_loop), intent(in) :: loop
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_hook

        ! This rank's account so far.
        subroutine equant_loop_stats(loop, stats, ierror) &
                bind(C, name="equant_fortran_loop_stats")
            import
            type(equant_loop), intent(in) :: loop
            type(equant_stats), intent(inout) :: stats
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_stats
    end interface

    interface
        ! How many ranges of units this rank owns.
        function range_number(loop) bind(C, name="equant_fortran_loop_ranges") result(number)
            import
            type(equant_loop), intent(in) :: loop
            integer(c_int) :: number
        end function range_number

        subroutine fill_ranges(loop, ranges) bind(C, name="equant_fortran_loop_fill_ranges")
            import
            type(equant_loop), intent(in) :: loop
            type(equant_range), intent(out) :: ranges(*)
        end subroutine fill_ranges
    end interface

contains
    ! The active units that this rank owns, in ascending order, until the next hook:
    !     call equant_loop_ranges(rows, own)
    !     do i = 1, size(own)
    !         do row = own(i)%first, own(i)%last
    ! Allocates only when the number of ranges changes.
    subroutine equant_loop_ranges(loop, ranges)
        type(equant_loop), intent(in) :: loop
        type(equant_range), allocatable, intent(inout) :: ranges(:)
        integer :: number

        number = range_number(loop)
        if (allocated(ranges)) then
            if (size(ranges) /= number) deallocate(ranges)
        end if
        if (.not. allocated(ranges)) allocate(ranges(number))
        call fill_ranges(loop, ranges)
    end subroutine equant_loop_ranges
end module equant_loops
