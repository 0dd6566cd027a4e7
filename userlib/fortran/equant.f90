! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! equant: balance the loops of an MPI program while it runs.  For programs that use mpi_f08
! and for those that use mpi: communicators, requests, datatypes and operations may be of either.
!
! What the procedures do is written in <equant/equant.h>; here is what differs in Fortran.
!
! - Units are counted from 1 and are integers of equant_unit_kind.  Ranks start at 0, as in MPI.
! - ierror is 0 or a negative error number of the system.  Without ierror an error ends the
!   job, as without stat= a failed allocate ends the program.  Standard error says why.
! - An array is taken as it is: base address, slice and number of units come from its descriptor,
!   and one that the compiler could only pass as a copy is refused.
!
! Every procedure is a C function of this folder behind an interface; a hook is one call.
module equant
    use equant_types
    use equant_contexts
    use equant_loops
    use equant_passes
    use equant_pipelines
    use equant_tables
    implicit none
    public
end module equant
