! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Two loops over the same units have one distribution, whichever of them moves work.
program shares_worker
    use, intrinsic :: iso_c_binding, only: c_double
    use, intrinsic :: iso_fortran_env, only: int64
    use equant, only: equant_begin, equant_close, equant_context, equant_end, equant_hook, &
        equant_loop, equant_loop_array, equant_loop_free, equant_loop_new, equant_loop_owner, &
        equant_loop_share, equant_unit_kind
    use worker, only: begin, case_name, close_moved, demand, demand_equal, demand_refused, &
        finish, open_eager, rank, step
    implicit none

    integer, parameter :: kind = equant_unit_kind
    integer(kind), parameter :: units = 71
    integer, parameter :: steps = 40

    real(c_double), target :: heat(30, units), flow(7, units)
    type(equant_context) :: eq
    type(equant_loop) :: first, second, other
    integer(kind) :: u
    integer :: ierror, n

    call begin()
    if (case_name /= "shared") error stop "no such case"
    call open_eager(eq)
    call equant_loop_new(first, eq, "heat", units)
    call equant_loop_new(second, eq, "flow", units)
    call equant_loop_new(other, eq, "other", units - 1)
    call equant_loop_share(other, first, ierror)
    call demand_refused(ierror, "a loop of fewer units", "Invalid argument")
    call equant_loop_free(other)
    call equant_loop_share(second, other, ierror)
    call demand_refused(ierror, "a freed loop", "Invalid argument")
    call equant_loop_share(second, first)
    call equant_loop_array(first, heat)
    call equant_loop_array(second, flow)
    do u = 1, units
        if (equant_loop_owner(first, u) /= rank) cycle
        heat(:, u) = real(u, c_double)
        flow(:, u) = -real(u, c_double)
    end do
    do n = 1, steps
        call equant_begin(second)
        call equant_end(second)
        call equant_hook(second)
        call step(first, n)
        do u = 1, units
            call demand_equal(int(equant_loop_owner(first, u), int64), &
                int(equant_loop_owner(second, u), int64), "the owner in the second loop")
            if (equant_loop_owner(first, u) /= rank) cycle
            call demand(all(nint(heat(:, u)) == u), "a slice of the first loop")
            call demand(all(nint(flow(:, u)) == -u), "a slice of the second loop")
        end do
    end do
    call equant_loop_free(second)
    call close_moved(first, eq)
    call finish()
end program shares_worker
