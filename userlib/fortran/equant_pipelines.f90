! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Sweeps through loops with dependences: interfaces of the C functions in pipeline.c.
module equant_pipelines
    use, intrinsic :: iso_c_binding, only: c_int, c_ptr
    use equant_types, only: equant_loop, equant_sweep_body, equant_unit_kind
    implicit none
    private
    public :: equant_loop_pipelined, equant_loop_sweep

    interface
        ! Each unit needs values of its neighbours in this array, one given to
        ! equant_loop_array().  Inner iteration i's are array(..., skip + i, u): the last
        ! dimension but one is the inner loop's, and skip (0) elements of it come before.
        subroutine equant_loop_pipelined(loop, array, skip, ierror) &
                bind(C, name="equant_fortran_loop_pipelined")
            import
            type(equant_loop), intent(in) :: loop
            type(*), dimension(..), intent(inout), target, asynchronous :: array
            integer(equant_unit_kind), intent(in), optional :: skip
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_pipelined

        ! Collective; run through a loop of equant_block_order once, inner iterations 1 to length.
        subroutine equant_loop_sweep(loop, length, body, context, ierror) &
                bind(C, name="equant_fortran_loop_sweep")
            import
            type(equant_loop), intent(in) :: loop
            integer(equant_unit_kind), intent(in) :: length
            procedure(equant_sweep_body) :: body
            type(c_ptr), intent(in), optional :: context
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_loop_sweep
    end interface
end module equant_pipelines
