! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Contexts and waiting with the integers of module mpi.
program integers_worker
    use, intrinsic :: iso_c_binding, only: c_double
    use mpi, only: MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Comm_dup, MPI_Comm_free, MPI_COMM_NULL, &
        MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, MPI_Get_count, MPI_IN_PLACE, MPI_INTEGER, &
        MPI_Irecv, MPI_Isend, MPI_MAX, MPI_REQUEST_NULL, MPI_SOURCE, MPI_STATUS_IGNORE, &
        MPI_STATUS_SIZE, MPI_STATUSES_IGNORE, MPI_SUM, MPI_TAG
    use equant, only: equant_allreduce, equant_barrier, equant_close, equant_context, equant_open, &
        equant_options, equant_wait, equant_waitall
    use worker, only: begin, case_name, demand, demand_refused, finish, rank, ranks
    implicit none

    type(equant_context) :: eq
    type(equant_options) :: options
    integer :: duplicate, ierror

    call begin()
    call equant_open(eq, MPI_COMM_NULL, ierror=ierror)
    call demand_refused(ierror, "no communicator", "Invalid argument")
    call MPI_Comm_dup(MPI_COMM_WORLD, duplicate, ierror)
    call equant_open(eq, duplicate, options, ierror=ierror)
    call demand(ierror == 0, "the context is refused")
    call MPI_Comm_free(duplicate, ierror)
    select case (case_name)
    case ("wait")
        call wait()
    case ("waitall")
        call waitall()
    case ("allreduce")
        call allreduce()
    case default
        error stop "no such case"
    end select
    call equant_barrier(eq)
    call equant_close(eq)
    call finish()

contains
    subroutine wait()
        integer :: from, got, length, status(MPI_STATUS_SIZE), to

        call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, from, &
            ierror)
        call MPI_Isend(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 17, MPI_COMM_WORLD, to, ierror)
        call equant_wait(eq, from, status, ierror)
        call demand(ierror == 0 .and. from == MPI_REQUEST_NULL, "the request is not complete")
        call demand(got == mod(rank + ranks - 1, ranks), "what was received")
        call demand(status(MPI_SOURCE) == got .and. status(MPI_TAG) == 17, "the status")
        call MPI_Get_count(status, MPI_INTEGER, length, ierror)
        call demand(length == 1, "the count in the status")
        call equant_wait(eq, to, MPI_STATUS_IGNORE)
        call equant_wait(eq, to)
    end subroutine wait

    subroutine waitall()
        integer :: got(0:ranks - 1), r, requests(0:2 * ranks), sent(0:ranks - 1)
        integer :: short(3, 2 * ranks + 1), statuses(MPI_STATUS_SIZE, 2 * ranks + 1)

        do r = 0, ranks - 1
            sent(r) = rank * ranks + r
            call MPI_Irecv(got(r), 1, MPI_INTEGER, r, r, MPI_COMM_WORLD, requests(r), ierror)
            call MPI_Isend(sent(r), 1, MPI_INTEGER, r, rank, MPI_COMM_WORLD, &
                requests(ranks + r), ierror)
        end do
        requests(2 * ranks) = MPI_REQUEST_NULL
        call equant_waitall(eq, requests(::2), ierror=ierror)
        call demand_refused(ierror, "every other request", "Invalid argument")
        call equant_waitall(eq, requests, statuses(:, :2), ierror)
        call demand_refused(ierror, "two statuses", "Invalid argument")
        call equant_waitall(eq, requests, statuses(:3, :), ierror)
        call demand_refused(ierror, "a part of each status", "Invalid argument")
        call equant_waitall(eq, requests, short, ierror)
        call demand_refused(ierror, "statuses of three integers", "Invalid argument")
        call equant_waitall(eq, requests, statuses)
        do r = 0, ranks - 1
            call demand(got(r) == r * ranks + rank, "what was received")
            call demand(statuses(MPI_SOURCE, r + 1) == r, "the source in the status")
            call demand(statuses(MPI_TAG, r + 1) == r, "the tag in the status")
        end do
        call equant_waitall(eq, requests, MPI_STATUSES_IGNORE)
        call equant_waitall(eq, requests)
    end subroutine waitall

    subroutine allreduce()
        real(c_double) :: mine(3), sums(3)
        integer :: number, s

        s = ranks * (ranks - 1) / 2
        mine = rank * [1, 10, 100]
        call equant_allreduce(eq, mine, sums, 3, MPI_DOUBLE_PRECISION, MPI_SUM)
        call demand(all(nint(sums) == s * [1, 10, 100]), "the sums")
        call equant_allreduce(eq, MPI_IN_PLACE, mine, 3, MPI_DOUBLE_PRECISION, MPI_SUM)
        call demand(all(nint(mine) == s * [1, 10, 100]), "the sums in place")
        number = rank + 5
        call equant_allreduce(eq, MPI_IN_PLACE, number, 1, MPI_INTEGER, MPI_MAX)
        call demand(number == ranks + 4, "the largest")
    end subroutine allreduce
end program integers_worker
