! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! Types and constants of module equant.  They are C's: what has a value here has it
! in <equant/equant.h>, and tests/fortran compares the two.
module equant_types
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_intptr_t, c_long, &
        c_null_funptr, c_null_ptr, c_ptr, c_size_t
    implicit none
    public

    private :: c_char, c_double, c_funptr, c_int, c_intptr_t, c_long
    private :: c_null_funptr, c_null_ptr, c_ptr, c_size_t

    ! Units, and counts of them.  The first unit is 1.
    integer, parameter :: equant_unit_kind = c_long

    ! What a rank does while it waits for others.
    enum, bind(C)
        enumerator :: equant_wait_spin, equant_wait_yield, equant_wait_block, equant_wait_auto
    end enum

    ! Do ranks meet in balancing phases?
    enum, bind(C)
        enumerator :: equant_mode_pipelined, equant_mode_asynchronous
    end enum

    ! Who sends samples to whom, and who decides.
    enum, bind(C)
        enumerator :: equant_control_exchange, equant_control_tree, equant_control_central
    end enum

    ! Which units may move where.
    enum, bind(C)
        enumerator :: equant_move_by_loop, equant_move_in_order
    end enum

    ! From samples to rates.
    enum, bind(C)
        enumerator :: equant_rate_predicted, equant_rate_measured
    end enum

    ! Filters of the measured rate.
    enum, bind(C)
        enumerator :: equant_filter_none, equant_filter_states, equant_filter_constant, &
            equant_filter_direction
    end enum

    ! Who owns what at the start.
    enum, bind(C)
        enumerator :: equant_block, equant_cyclic, equant_block_order
    end enum

    ! How a table finds its slices.
    enum, bind(C)
        enumerator :: equant_table_auto, equant_table_scattered, equant_table_indexed, &
            equant_table_packed, equant_table_reverse, equant_table_restricted
    end enum

    ! Reductions of one value per unit.
    enum, bind(C)
        enumerator :: equant_sum, equant_min, equant_max
    end enum

    ! A context: equant_open() to equant_close().  May be copied; all copies are one context.
    type, bind(C) :: equant_context
        private
        integer(c_intptr_t) :: handle = 0
    end type equant_context

    ! A loop: equant_loop_new() to equant_loop_free().  May be copied; all copies are one loop.
    type, bind(C) :: equant_loop
        private
        integer(c_intptr_t) :: handle = 0
    end type equant_loop

    ! A table of slices whose memory the library holds; it goes with its loop.
    type, bind(C) :: equant_table
        private
        integer(c_intptr_t) :: handle = 0
    end type equant_table

    ! Units first to last.
    type, bind(C) :: equant_range
        integer(equant_unit_kind) :: first
        integer(equant_unit_kind) :: last
    end type equant_range

    ! How to measure, decide and report.  Set what is to differ from the defaults; the
    ! environment wins over both.  The texts are arguments of equant_open().
    type, bind(C) :: equant_options
        integer(c_size_t), private :: sz = 232
        type(c_ptr), private :: probe = c_null_ptr
        type(c_ptr), private :: trace = c_null_ptr
        type(c_ptr), private :: report = c_null_ptr
        integer(c_int) :: balance = 1
        integer(c_int) :: rate = equant_rate_predicted
        integer(c_int) :: filter = equant_filter_states
        integer(c_int) :: check = 0
        integer(c_int) :: depth = 1
        integer(c_int) :: ports = 0
        integer(c_int) :: verbose = 0
        integer(c_long) :: omit = 0
        real(c_double) :: period = 0
        real(c_double) :: threshold = 0.03_c_double
        real(c_double) :: profit = 5
        real(c_double) :: window = 10
        real(c_double) :: interact = 0.05_c_double
        real(c_double) :: amplitude = 0.1_c_double
        real(c_double) :: timeout = 30
        integer(c_int) :: wait = equant_wait_auto
        integer(c_int) :: control = equant_control_exchange
        integer(c_int) :: polls = 0
        integer(c_int), private :: unused = 0 ! what C pads with
        type(c_ptr), private :: replay = c_null_ptr
        integer(c_long) :: block = 0
        real(c_double) :: quantum = 0
        real(c_double) :: quanta = 0
        integer(c_int) :: movement = equant_move_by_loop
        integer(c_int) :: mode = equant_mode_pipelined
        real(c_double) :: restraint = 0.85_c_double
        real(c_double) :: delay = 0
        real(c_double) :: grain = 0
        integer(c_int) :: prompt = 1
        integer(c_int) :: steady = 1
        integer(c_long) :: tiles = 0
        integer(c_int) :: crowds = 1
        integer(c_int), private :: unused_too = 0
    end type equant_options

    ! One rank's account of a loop; times in seconds.
    type, bind(C) :: equant_stats
        integer(c_size_t), private :: sz = 264
        integer(c_int) :: rank
        integer(c_int) :: ranks
        character(kind=c_char) :: probe(16) ! padded with blanks
        real(c_double) :: elapsed
        real(c_double) :: wall
        real(c_double) :: run
        real(c_double) :: wait
        real(c_double) :: balancing
        real(c_double) :: waiting
        real(c_double) :: moving
        real(c_double) :: total_run
        real(c_double) :: total_wait
        real(c_double) :: total_cpu
        real(c_double) :: speed
        real(c_double) :: share
        real(c_double) :: quantum
        real(c_double) :: first_ns
        integer(c_long) :: units
        integer(c_long) :: computed
        integer(c_long) :: hooks
        integer(c_long) :: phases
        integer(c_long) :: moves
        integer(c_long) :: sent
        integer(c_long) :: received
        integer(c_long) :: fallbacks
        integer(c_long) :: dropped
        integer(c_long) :: bytes_sent ! unsigned in C
        integer(c_long) :: uneven
        integer(c_long) :: sweeps
        integer(c_long) :: block
        integer(c_long) :: messages
        integer(c_long) :: chain
    end type equant_stats

    ! Data of a unit that is no array: procedures with the interfaces equant_data_size,
    ! equant_data_pack and equant_data_unpack, by c_funloc().  The caller's own, like an array:
    ! it has the target attribute and stays as it is until the loop is freed.
    type, bind(C) :: equant_data_ops
        type(c_funptr) :: size = c_null_funptr
        type(c_funptr) :: pack = c_null_funptr
        type(c_funptr) :: unpack = c_null_funptr
        type(c_ptr) :: context = c_null_ptr
    end type equant_data_ops

    abstract interface
        ! Bytes that the unit would be packed into now.
        function equant_data_size(context, unit) bind(C) result(bytes)
            import :: c_ptr, c_size_t, equant_unit_kind
            type(c_ptr), value :: context
            integer(equant_unit_kind), value :: unit
            integer(c_size_t) :: bytes
        end function equant_data_size

        ! Writes them; the unit is not this rank's any more.
        subroutine equant_data_pack(context, unit, buffer) bind(C)
            import :: c_ptr, equant_unit_kind
            type(c_ptr), value :: context
            integer(equant_unit_kind), value :: unit
            type(c_ptr), value :: buffer
        end subroutine equant_data_pack

        ! Takes them in; 0 or a negative error, which ends the loop.
        function equant_data_unpack(context, unit, buffer, bytes) bind(C) result(error)
            import :: c_int, c_ptr, c_size_t, equant_unit_kind
            type(c_ptr), value :: context
            integer(equant_unit_kind), value :: unit
            type(c_ptr), value :: buffer
            integer(c_size_t), value :: bytes
            integer(c_int) :: error
        end function equant_data_unpack

        ! Computes the inner iterations from to to of the units first to last.
        subroutine equant_sweep_body(context, first, last, from, to) bind(C)
            import :: c_ptr, equant_unit_kind
            type(c_ptr), value :: context
            integer(equant_unit_kind), value :: first, last, from, to
        end subroutine equant_sweep_body
    end interface
end module equant_types
