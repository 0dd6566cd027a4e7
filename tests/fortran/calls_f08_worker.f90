! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Knows nothing of equant: makes 7 calls of module mpi_f08 in which a rank may wait.
program calls_f08_worker
    use mpi_f08, only: mpi_allreduce, mpi_barrier, mpi_comm_rank, mpi_comm_size, mpi_comm_world, &
        mpi_finalize, mpi_init, mpi_integer, mpi_irecv, mpi_request, mpi_send, &
        mpi_statuses_ignore, mpi_sum, mpi_waitall
    implicit none

    integer :: rank, ranks, total
    integer, asynchronous :: other
    type(mpi_request) :: request(1)

    call mpi_init()
    call mpi_comm_rank(mpi_comm_world, rank)
    call mpi_comm_size(mpi_comm_world, ranks)
    call mpi_barrier(mpi_comm_world)
    call mpi_barrier(mpi_comm_world)
    call mpi_irecv(other, 1, mpi_integer, modulo(rank - 1, ranks), 4, mpi_comm_world, request(1))
    call mpi_send(rank, 1, mpi_integer, modulo(rank + 1, ranks), 4, mpi_comm_world)
    call mpi_waitall(1, request, mpi_statuses_ignore)
    call mpi_allreduce(other, total, 1, mpi_integer, mpi_sum, mpi_comm_world)
    call mpi_barrier(mpi_comm_world)
    call mpi_finalize()
    if (other /= modulo(rank - 1, ranks) .or. total /= ranks * (ranks - 1) / 2) error stop 1
end program calls_f08_worker
