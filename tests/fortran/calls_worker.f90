! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Knows nothing of equant: makes 7 calls of module mpi in which a rank may wait.
program calls_worker
    use mpi, only: mpi_allreduce, mpi_barrier, mpi_comm_rank, mpi_comm_size, mpi_comm_world, &
        mpi_finalize, mpi_init, mpi_integer, mpi_irecv, mpi_send, mpi_statuses_ignore, mpi_sum, &
        mpi_waitall
    implicit none

    integer :: ierror, rank, ranks, other, total, request(1)

    call mpi_init(ierror)
    call mpi_comm_rank(mpi_comm_world, rank, ierror)
    call mpi_comm_size(mpi_comm_world, ranks, ierror)
    call mpi_barrier(mpi_comm_world, ierror)
    call mpi_barrier(mpi_comm_world, ierror)
    call mpi_irecv(other, 1, mpi_integer, modulo(rank - 1, ranks), 4, mpi_comm_world, request(1), &
        ierror)
    call mpi_send(rank, 1, mpi_integer, modulo(rank + 1, ranks), 4, mpi_comm_world, ierror)
    call mpi_waitall(1, request, mpi_statuses_ignore, ierror)
    call mpi_allreduce(other, total, 1, mpi_integer, mpi_sum, mpi_comm_world, ierror)
    call mpi_barrier(mpi_comm_world, ierror)
    call mpi_finalize(ierror)
    if (other /= modulo(rank - 1, ranks) .or. total /= ranks * (ranks - 1) / 2) error stop 1
end program calls_worker
