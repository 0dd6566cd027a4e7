! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Contexts and waiting with the types of mpi_f08; integers_worker.f90 is the same with mpi.
program contexts_worker
    use, intrinsic :: iso_c_binding, only: c_double, c_funloc, c_funptr, c_size_t
    use mpi_f08, only: MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Comm, MPI_COMM_NULL, MPI_COMM_WORLD, &
        MPI_DOUBLE_PRECISION, MPI_Get_count, MPI_IN_PLACE, MPI_INTEGER, MPI_Irecv, MPI_Isend, &
        MPI_MAX, MPI_Request, MPI_REQUEST_NULL, MPI_Status, MPI_STATUS_IGNORE, &
        MPI_STATUSES_IGNORE, MPI_SUM, operator(==)
    use equant, only: equant_allreduce, equant_barrier, equant_begin, equant_close, &
        equant_context, equant_end, equant_error_text, equant_hook, equant_loop, &
        equant_loop_free, equant_loop_new, equant_loop_owner, &
        equant_loop_stats, equant_loop_table, equant_open, equant_options, equant_probe_name, &
        equant_stats, equant_table, equant_table_auto, equant_table_kind, equant_team_join, &
        equant_team_leave, equant_unit_kind, equant_wait, equant_waitall
    use worker, only: begin, case_name, demand, demand_error, demand_refused, finish, rank, ranks
    implicit none

    type(equant_context), save :: eq
    integer, save :: joined = 1, left = 1, twice = 1

    interface
        subroutine in_thread(procedure) bind(C, name="in_thread")
            import
            type(c_funptr), value :: procedure
        end subroutine in_thread
    end interface

    call begin()
    select case (case_name)
    case ("open")
        call open()
    case ("handles")
        call handles()
    case ("team")
        call equant_open(eq, MPI_COMM_WORLD, probe="schedstat")
        call team()
        call equant_close(eq)
    case ("wait")
        call equant_open(eq, MPI_COMM_WORLD)
        call wait()
        call equant_close(eq)
    case ("waitall")
        call equant_open(eq, MPI_COMM_WORLD)
        call waitall()
        call equant_close(eq)
    case ("allreduce")
        call equant_open(eq, MPI_COMM_WORLD)
        call allreduce()
        call equant_close(eq)
    case default
        error stop "no such case"
    end select
    call finish()

contains
    subroutine open()
        type(equant_options) :: options
        integer :: ierror

        call equant_open(eq, MPI_COMM_WORLD, options, probe="clock   ", trace=" ", ierror=ierror)
        call demand(ierror == 0, "the defaults are refused")
        call demand(equant_probe_name(eq) == "clock", "the probe is not the one asked for")
        call equant_barrier(eq)
        call equant_close(eq)
        call equant_open(eq, MPI_COMM_WORLD, probe="sonar", ierror=ierror)
        call demand(ierror < 0, "an unknown probe is taken")
        call demand(equant_probe_name(eq) == "", "a context that was not made has a probe")
        options%depth = 1025
        call equant_open(eq, MPI_COMM_WORLD, options, ierror=ierror)
        call demand_refused(ierror, "a depth of 1025", "Invalid argument")
        options%depth = 0
        if (rank == 0) options%period = 3
        call equant_open(eq, MPI_COMM_WORLD, options, ierror=ierror)
        if (ranks > 1) call demand_refused(ierror, "a period of rank 0's", "Invalid argument")
        call equant_open(eq, MPI_COMM_NULL, ierror=ierror)
        call demand_refused(ierror, "no communicator", "Invalid argument")
    end subroutine open

    subroutine handles()
        type(equant_loop) :: loop, copy
        integer :: ierror

        call equant_close(eq)
        call equant_barrier(eq, ierror)
        call demand_refused(ierror, "a barrier without a context", "Invalid argument")
        call equant_loop_new(loop, eq, "rows", 8_equant_unit_kind, ierror)
        call demand_refused(ierror, "a loop without a context", "Invalid argument")
        call equant_hook(loop, ierror)
        call demand_refused(ierror, "a hook without a loop", "Invalid argument")
        call equant_open(eq, MPI_COMM_WORLD)
        call equant_loop_new(loop, eq, "a name of forty bytes, one more than fit", &
            8_equant_unit_kind, ierror)
        call demand_refused(ierror, "a long name", "Invalid argument")
        call equant_loop_new(loop, eq, "rows", -1_equant_unit_kind, ierror)
        call demand_refused(ierror, "less than nothing", "Invalid argument")
        call equant_loop_new(loop, eq, "", 8_equant_unit_kind, ierror)
        call demand_refused(ierror, "no name", "Invalid argument")
        call equant_loop_new(loop, eq, "rows", 8_equant_unit_kind)
        copy = loop
        call equant_hook(copy)
        call equant_loop_free(loop)
        call demand_error(equant_loop_owner(loop, 1_equant_unit_kind), "a freed loop", &
            "Invalid argument")
        call equant_hook(copy, ierror)
        call demand_refused(ierror, "a copy of a freed loop", "Invalid argument")
        call equant_loop_free(copy)
        call equant_loop_free(loop)
        call equant_close(eq)
        call equant_close(eq)
        call closed_first()
        call copied()
    end subroutine handles

    ! Loops go with their context and tables with their loop, also those that came to their places.
    subroutine closed_first()
        type(equant_context) :: other
        type(equant_loop) :: loops(3)
        type(equant_table) :: table
        integer :: i, ierror

        call equant_open(other, MPI_COMM_WORLD)
        call equant_loop_new(loops(3), other, "stays", 8_equant_unit_kind)
        do i = 1, 20
            call equant_open(eq, MPI_COMM_WORLD)
            call equant_loop_new(loops(1), eq, "first", 8_equant_unit_kind)
            call equant_loop_new(loops(2), eq, "second", 8_equant_unit_kind)
            call equant_loop_table(table, loops(2), 8_c_size_t, equant_table_auto)
            call equant_loop_free(loops(1))
            call equant_close(eq)
            call equant_hook(loops(2), ierror)
            call demand_refused(ierror, "a hook in a loop whose context is closed", &
                "Invalid argument")
            call demand(equant_table_kind(table) < 0, "a table is left when its loop has gone")
            call equant_loop_free(loops(2), ierror)
            call demand(ierror == 0, "a loop that its context has freed cannot be freed")
            call equant_hook(loops(3), ierror)
            call demand(ierror == 0, "a loop has gone with another's context")
        end do
        call equant_close(other)
    end subroutine closed_first

    subroutine copied()
        type(equant_context) :: copy
        type(equant_loop) :: first, loop
        integer :: ierror

        call equant_open(eq, MPI_COMM_WORLD)
        copy = eq
        call equant_loop_new(loop, eq, "rows", 8_equant_unit_kind)
        first = loop
        call equant_loop_new(loop, eq, "columns", 8_equant_unit_kind)
        call equant_hook(loop)
        call equant_hook(first)
        call equant_close(copy)
        call equant_hook(first, ierror)
        call demand_refused(ierror, "a loop whose context's copy is closed", "Invalid argument")
        call equant_loop_new(loop, eq, "rows", 8_equant_unit_kind, ierror)
        call demand_refused(ierror, "a loop of a context whose copy is closed", &
            "Invalid argument")
    end subroutine copied

    ! A thread of this program's is measured with the rank while it computes.
    subroutine team()
        type(equant_context) :: none
        type(equant_loop) :: loop
        type(equant_stats) :: stats
        integer :: ierror

        call equant_team_join(none, ierror)
        call demand_refused(ierror, "a thread without a context", "Invalid argument")
        call equant_team_join(eq)
        call equant_loop_new(loop, eq, "team", 4_equant_unit_kind)
        call equant_begin(loop)
        call in_thread(c_funloc(member))
        call demand(joined == 0, "a thread cannot join: " // equant_error_text(joined))
        call demand_refused(twice, "a thread that joins twice", "Operation already in progress")
        call demand(left == 0, "a thread cannot leave: " // equant_error_text(left))
        call equant_end(loop)
        call equant_hook(loop)
        call equant_loop_stats(loop, stats)
        call demand(stats%run > 0, "no run time")
        call equant_loop_free(loop)
    end subroutine team

    subroutine member() bind(C)
        call equant_team_join(eq, joined)
        call equant_team_join(eq, twice)
        call equant_team_leave(eq, left)
    end subroutine member

    ! A ring: each rank sends its number to the next one.
    subroutine wait()
        type(MPI_Request) :: from, to
        type(MPI_Status) :: status
        integer :: got, ierror, length

        call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, from)
        call MPI_Isend(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 17, MPI_COMM_WORLD, to)
        call equant_wait(eq, from, status, ierror)
        call demand(ierror == 0 .and. from == MPI_REQUEST_NULL, "the request is not complete")
        call demand(got == mod(rank + ranks - 1, ranks), "what was received")
        call demand(status%MPI_SOURCE == got .and. status%MPI_TAG == 17, "the status")
        call MPI_Get_count(status, MPI_INTEGER, length)
        call demand(length == 1, "the count in the status")
        call equant_wait(eq, to, MPI_STATUS_IGNORE)
        call equant_wait(eq, to)
    end subroutine wait

    ! Every rank sends to every rank; a request more is none.
    subroutine waitall()
        type(MPI_Request) :: requests(0:2 * ranks)
        type(MPI_Status) :: statuses(2 * ranks + 1)
        integer :: got(0:ranks - 1), ierror, r, sent(0:ranks - 1)

        do r = 0, ranks - 1
            sent(r) = rank * ranks + r
            call MPI_Irecv(got(r), 1, MPI_INTEGER, r, r, MPI_COMM_WORLD, requests(r))
            call MPI_Isend(sent(r), 1, MPI_INTEGER, r, rank, MPI_COMM_WORLD, requests(ranks + r))
        end do
        requests(2 * ranks) = MPI_REQUEST_NULL
        call equant_waitall(eq, requests(::2), ierror=ierror)
        call demand_refused(ierror, "every other request", "Invalid argument")
        call equant_waitall(eq, requests, statuses(:2), ierror)
        call demand_refused(ierror, "two statuses", "Invalid argument")
        call equant_waitall(eq, requests, statuses)
        do r = 0, ranks - 1
            call demand(got(r) == r * ranks + rank, "what was received")
            call demand(statuses(r + 1)%MPI_SOURCE == r, "the source in the status")
            call demand(statuses(r + 1)%MPI_TAG == r, "the tag in the status")
        end do
        call equant_waitall(eq, requests, MPI_STATUSES_IGNORE)
        call equant_waitall(eq, requests)
    end subroutine waitall

    subroutine allreduce()
        real(c_double) :: mine(3), sums(3), table(2, 3)
        integer :: ierror, number, s

        s = ranks * (ranks - 1) / 2
        mine = rank * [1, 10, 100]
        call equant_allreduce(eq, mine, sums, 3, MPI_DOUBLE_PRECISION, MPI_SUM)
        call demand(all(nint(sums) == s * [1, 10, 100]), "the sums")
        call equant_allreduce(eq, MPI_IN_PLACE, mine, 3, MPI_DOUBLE_PRECISION, MPI_SUM)
        call demand(all(nint(mine) == s * [1, 10, 100]), "the sums in place")
        number = rank + 5
        call equant_allreduce(eq, MPI_IN_PLACE, number, 1, MPI_INTEGER, MPI_MAX)
        call demand(number == ranks + 4, "the largest")
        table = rank
        call equant_allreduce(eq, MPI_IN_PLACE, table(1, :), 3, MPI_DOUBLE_PRECISION, MPI_SUM, &
            ierror)
        call demand_refused(ierror, "a row of the table", "Invalid argument")
        call equant_allreduce(eq, MPI_IN_PLACE, table(:, 2), 2, MPI_DOUBLE_PRECISION, MPI_SUM)
        call demand(all(nint(table(:, 2)) == s) .and. all(nint(table(:, 3)) == rank), "the column")
        call equant_allreduce(eq, mine, sums, -1, MPI_DOUBLE_PRECISION, MPI_SUM, ierror)
        call demand_refused(ierror, "a negative count", "Invalid argument")
    end subroutine allreduce
end program contexts_worker
