! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Slice tables: interfaces of the C functions in table.c.  A slice is a c_ptr, which c_f_pointer()
! makes an array: call c_f_pointer(equant_table_slice(table, u), row, [n])
module equant_tables
    use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
    use equant_types, only: equant_loop, equant_table, equant_unit_kind
    implicit none
    private
    public :: equant_loop_table, equant_table_kind, equant_table_slice, equant_table_copy
    public :: equant_table_forget, equant_table_next

    interface
        ! A table of slices of so many bytes, zero at first; equant_table_auto or another kind.
        subroutine equant_loop_table(table, loop, bytes, kind, ierror) &
                bind(C, name="equant_fortran_loop_table")
            import
            type(equant_table), intent(out) :: table
            type(equant_loop), intent(in) :: loop
            integer(c_size_t), intent(in) :: bytes
            integer(c_int), intent(in) :: kind
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_table

        ! The kind that equant_table_auto has become; a negative error for no table.
        function equant_table_kind(table) bind(C, name="equant_fortran_table_kind") result(kind)
            import
            type(equant_table), intent(in) :: table
            integer(c_int) :: kind
        end function equant_table_kind

        ! The slice of a unit that this rank owns, until the next hook; c_null_ptr if it does not.
        function equant_table_slice(table, unit) bind(C, name="equant_fortran_table_slice") &
                result(slice)
            import
            type(equant_table), intent(in) :: table
            integer(equant_unit_kind), intent(in) :: unit
            type(c_ptr) :: slice
        end function equant_table_slice

        ! A copy of a slice that another rank owns, for reading; c_null_ptr if there is none.
        function equant_table_copy(table, unit) bind(C, name="equant_fortran_table_copy") &
                result(slice)
            import
            type(equant_table), intent(in) :: table
            integer(equant_unit_kind), intent(in) :: unit
            type(c_ptr) :: slice
        end function equant_table_copy

        ! Drop all copies.
        subroutine equant_table_forget(table) bind(C, name="equant_fortran_table_forget")
            import
            type(equant_table), intent(in) :: table
        end subroutine equant_table_forget

        ! Step through the slices of active units, in the table's order: the cursor is 0 at the
        ! start, the slice c_null_ptr after the last one.
        subroutine equant_table_next(table, cursor, unit, slice) &
                bind(C, name="equant_fortran_table_next")
            import
            type(equant_table), intent(in) :: table
            integer(equant_unit_kind), intent(inout) :: cursor
            integer(equant_unit_kind), intent(out) :: unit
            type(c_ptr), intent(out) :: slice
        end subroutine equant_table_next
    end interface
end module equant_tables
