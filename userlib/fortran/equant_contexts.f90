! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Contexts and waiting, where MPI's handles come in: each generic name stands for one procedure
! with the types of mpi_f08 and one with the integers of mpi.  Both are the same C function, in
! context.c and wait.c: a type(MPI_Comm) is an integer in memory.
module equant_contexts
    use, intrinsic :: iso_c_binding, only: c_char, c_int
    use mpi, only: in_place => MPI_IN_PLACE
    use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_IN_PLACE, MPI_Op, MPI_Request, MPI_Status
    use equant_types, only: equant_context, equant_options
    implicit none
    private
    public :: equant_open, equant_close, equant_probe_name, equant_probe_features
    public :: equant_wait, equant_waitall, equant_barrier, equant_allreduce
    public :: equant_team_join, equant_team_leave, equant_version, equant_error_text

    ! ---- contexts ----------------------------------------------------------------

    ! Collective; start measuring and set up balancing.  The texts are options, too:
    ! probe "auto", "bpf", "schedstat", "clock" or "replay:FILE", the others directories.
    interface equant_open
        subroutine open_f08(eq, comm, options, probe, trace, report, replay, ierror) &
                bind(C, name="equant_fortran_open")
            import
            type(equant_context), intent(out) :: eq
            type(MPI_Comm), intent(in) :: comm
            type(equant_options), intent(in), optional :: options
            character(kind=c_char, len=*), intent(in), optional :: probe, trace, report, replay
            integer(c_int), intent(out), optional :: ierror
        end subroutine open_f08

        subroutine open_integer(eq, comm, options, probe, trace, report, replay, ierror) &
                bind(C, name="equant_fortran_open")
            import
            type(equant_context), intent(out) :: eq
            integer(c_int), intent(in) :: comm
            type(equant_options), intent(in), optional :: options
            character(kind=c_char, len=*), intent(in), optional :: probe, trace, report, replay
            integer(c_int), intent(out), optional :: ierror
        end subroutine open_integer
    end interface equant_open

    interface
        ! Collective; free the context and the loops still open.
        subroutine equant_close(eq, ierror) bind(C, name="equant_fortran_close")
            import
            type(equant_context), intent(inout) :: eq
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_close

        ! The calling thread computes for the rank: called once by each thread that has a part in
        ! the sections, as in an OpenMP parallel region outside of them.
        subroutine equant_team_join(eq, ierror) bind(C, name="equant_fortran_team_join")
            import
            type(equant_context), intent(in) :: eq
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_team_join

        ! It does no more.
        subroutine equant_team_leave(eq, ierror) bind(C, name="equant_fortran_team_leave")
            import
            type(equant_context), intent(in) :: eq
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_team_leave

        ! What that probe measures: EQUANT_PROBE_* of <equant/probe.h>; 0 for no context.
        function equant_probe_features(eq) bind(C, name="equant_fortran_probe_features") &
                result(features)
            import
            type(equant_context), intent(in) :: eq
            integer(c_int) :: features
        end function equant_probe_features
    end interface

    ! ---- waiting -----------------------------------------------------------------

    ! As MPI_Wait(); without status it is ignored.
    interface equant_wait
        subroutine wait_f08(eq, request, status, ierror) bind(C, name="equant_fortran_wait_f08")
            import
            type(equant_context), intent(in) :: eq
            type(MPI_Request), intent(inout) :: request
            type(MPI_Status), intent(out), optional :: status
            integer(c_int), intent(out), optional :: ierror
        end subroutine wait_f08

        subroutine wait_integer(eq, request, status, ierror) bind(C, name="equant_fortran_wait")
            import
            type(equant_context), intent(in) :: eq
            integer(c_int), intent(inout) :: request
            integer(c_int), intent(out), optional :: status(*)
            integer(c_int), intent(out), optional :: ierror
        end subroutine wait_integer
    end interface equant_wait

    ! As MPI_Waitall() of size(requests) requests.
    interface equant_waitall
        subroutine waitall_f08(eq, requests, statuses, ierror) &
                bind(C, name="equant_fortran_waitall_f08")
            import
            type(equant_context), intent(in) :: eq
            type(MPI_Request), intent(inout) :: requests(:)
            type(MPI_Status), intent(inout), optional :: statuses(:)
            integer(c_int), intent(out), optional :: ierror
        end subroutine waitall_f08

        subroutine waitall_integer(eq, requests, statuses, ierror) &
                bind(C, name="equant_fortran_waitall")
            import
            type(equant_context), intent(in) :: eq
            integer(c_int), intent(inout) :: requests(:)
            integer(c_int), intent(inout), optional :: statuses(:, :)
            integer(c_int), intent(out), optional :: ierror
        end subroutine waitall_integer
    end interface equant_waitall

    ! Collective; as MPI_Allreduce() over the ranks of the context.
    interface equant_allreduce
        module procedure allreduce_f08, allreduce_integer
    end interface equant_allreduce

    interface
        ! Collective; returns when every rank of the context has called it.
        subroutine equant_barrier(eq, ierror) bind(C, name="equant_fortran_barrier")
            import
            type(equant_context), intent(in) :: eq
            integer(c_int), intent(out), optional :: ierror
        end subroutine equant_barrier

        subroutine allreduce(eq, send, recv, place, count, datatype, op, ierror) &
                bind(C, name="equant_fortran_allreduce")
            import
            type(equant_context), intent(in) :: eq
            type(*), dimension(..), intent(in) :: send
            type(*), dimension(..), intent(inout) :: recv
            type(*), dimension(..), intent(in) :: place
            integer(c_int), intent(in) :: count, datatype, op
            integer(c_int), intent(out), optional :: ierror
        end subroutine allreduce

        subroutine version_text(text) bind(C, name="equant_fortran_version")
            import
            character(kind=c_char, len=*), intent(out) :: text
        end subroutine version_text

        subroutine probe_text(eq, text) bind(C, name="equant_fortran_probe_name")
            import
            type(equant_context), intent(in) :: eq
            character(kind=c_char, len=*), intent(out) :: text
        end subroutine probe_text

        subroutine error_text(error, text) bind(C, name="equant_fortran_error_text")
            import
            integer(c_int), intent(in) :: error
            character(kind=c_char, len=*), intent(out) :: text
        end subroutine error_text
    end interface

contains
    ! MPI_IN_PLACE is known by its address, which C does not know.
    subroutine allreduce_f08(eq, send, recv, count, datatype, op, ierror)
        type(equant_context), intent(in) :: eq
        type(*), dimension(..), intent(in) :: send
        type(*), dimension(..), intent(inout) :: recv
        integer, intent(in) :: count
        type(MPI_Datatype), intent(in) :: datatype
        type(MPI_Op), intent(in) :: op
        integer, intent(out), optional :: ierror

        call allreduce(eq, send, recv, MPI_IN_PLACE, count, datatype%MPI_VAL, op%MPI_VAL, ierror)
    end subroutine allreduce_f08

    subroutine allreduce_integer(eq, send, recv, count, datatype, op, ierror)
        type(equant_context), intent(in) :: eq
        type(*), dimension(..), intent(in) :: send
        type(*), dimension(..), intent(inout) :: recv
        integer, intent(in) :: count, datatype, op
        integer, intent(out), optional :: ierror

        call allreduce(eq, send, recv, in_place, count, datatype, op, ierror)
    end subroutine allreduce_integer

    ! The probe of this rank; blank after equant_close().
    function equant_probe_name(eq) result(name)
        type(equant_context), intent(in) :: eq
        character(len=16) :: name

        call probe_text(eq, name)
    end function equant_probe_name

    ! "0.1.0"
    function equant_version() result(version)
        character(len=16) :: version

        call version_text(version)
    end function equant_version

    ! What an ierror means: "Invalid argument".
    function equant_error_text(ierror) result(text)
        integer, intent(in) :: ierror
        character(len=64) :: text

        call error_text(ierror, text)
    end function equant_error_text
end module equant_contexts
