! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Passes, with hooks between the iterations: interfaces of the C functions in pass.c.
!     call equant_pass_begin(rows)
!     do while (equant_next(rows, row))
!         ...
!     end do
!     call equant_pass_end(rows)
module equant_passes
    use, intrinsic :: iso_c_binding, only: c_bool, c_int
    use equant_types, only: equant_loop, equant_unit_kind
    implicit none
    private
    public :: equant_pass_begin, equant_pass_join, equant_next, equant_pass_end, equant_pass

    interface
        ! Collective, no message; a pass over the units begins.
        subroutine equant_pass_begin(loop, ierror) bind(C, name="equant_fortran_pass_begin")
            import
            type(equant_loop), intent(in) :: loop
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_pass_begin

        ! Collective, no message; the pass that has begun ends on all ranks together.
        subroutine equant_pass_join(loop, ierror) bind(C, name="equant_fortran_pass_join")
            import
            type(equant_loop), intent(in) :: loop
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_pass_join

        ! The next unit to compute, if there is one; balancing may happen here.  Unless a phase is
        ! due it is a call, a decrement and two branches.
        function equant_next(loop, unit) bind(C, name="equant_fortran_next") result(more)
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(inout) :: unit
            logical(c_bool) :: more
        end function equant_next

        ! The pass ends: equant_next() has returned .false.
        subroutine equant_pass_end(loop, ierror) bind(C, name="equant_fortran_pass_end")
            import
            type(equant_loop), intent(in) :: loop
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_pass_end

        ! The number of the pass in which the unit is computed, from 1 on; 0 before the first.
        function equant_pass(loop) bind(C, name="equant_fortran_pass") result(number)
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind) :: number
        end function equant_pass
    end interface
end module equant_passes
