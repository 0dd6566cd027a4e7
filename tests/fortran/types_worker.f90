! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! The types of module equant are those of <equant/equant.h>: sizes, places and defaults.
program types_worker
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_long, c_null_char, &
        c_sizeof
    use equant, only: equant_block, equant_block_order, equant_control_central, &
        equant_control_exchange, equant_control_tree, equant_cyclic, &
        equant_error_text, equant_filter_constant, equant_filter_direction, equant_filter_none, &
        equant_filter_states, equant_max, equant_min, equant_mode_asynchronous, &
        equant_mode_pipelined, equant_move_by_loop, equant_move_in_order, &
        equant_options, equant_rate_measured, equant_rate_predicted, equant_stats, equant_sum, &
        equant_table_auto, equant_table_indexed, equant_table_packed, equant_table_restricted, &
        equant_table_reverse, equant_table_scattered, equant_version, &
        equant_wait_auto, equant_wait_block, equant_wait_spin, equant_wait_yield
    use worker, only: begin, case_name, demand, demand_equal, finish
    implicit none

    interface
        subroutine c_defaults(options) bind(C, name="defaults")
            import
            type(equant_options), intent(out) :: options
        end subroutine c_defaults

        subroutine number_options(options) bind(C, name="number_options")
            import
            type(equant_options), intent(out) :: options
        end subroutine number_options

        subroutine number_stats(stats) bind(C, name="number_stats")
            import
            type(equant_stats), intent(out) :: stats
        end subroutine number_stats

        function size_of_options() bind(C, name="size_of_options") result(bytes)
            import
            integer(c_long) :: bytes
        end function size_of_options

        function size_of_stats() bind(C, name="size_of_stats") result(bytes)
            import
            integer(c_long) :: bytes
        end function size_of_stats

        function said_of_options(options) bind(C, name="said_of_options") result(bytes)
            import
            type(equant_options), intent(in) :: options
            integer(c_long) :: bytes
        end function said_of_options

        function said_of_stats(stats) bind(C, name="said_of_stats") result(bytes)
            import
            type(equant_stats), intent(in) :: stats
            integer(c_long) :: bytes
        end function said_of_stats

        function count_options() bind(C, name="count_options") result(number)
            import
            integer(c_int) :: number
        end function count_options

        function constant(name) bind(C, name="constant") result(number)
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int) :: number
        end function constant
    end interface

    call begin()
    select case (case_name)
    case ("options")
        call options()
    case ("defaults")
        call defaults()
    case ("stats")
        call stats()
    case ("constants")
        call constants()
    case ("texts")
        call texts()
    case default
        error stop "no such case"
    end select
    call finish()

contains
    subroutine number(expected, value, what)
        integer, intent(in) :: expected
        real(c_double), intent(in) :: value
        character(len=*), intent(in) :: what

        call demand_equal(int(expected, c_long), nint(value, c_long), what)
    end subroutine number

    subroutine options()
        type(equant_options) :: o

        call demand_equal(size_of_options(), int(c_sizeof(o), c_long), "size of equant_options")
        call demand_equal(size_of_options(), said_of_options(o), "sz of equant_options")
        call demand_equal(34_c_long, int(count_options(), c_long), "number of options")
        call number_options(o)
        call number(4, real(o%balance, c_double), "balance")
        call number(5, real(o%rate, c_double), "rate")
        call number(6, real(o%filter, c_double), "filter")
        call number(7, real(o%check, c_double), "check")
        call number(8, real(o%depth, c_double), "depth")
        call number(9, real(o%ports, c_double), "ports")
        call number(10, real(o%verbose, c_double), "verbose")
        call number(11, real(o%omit, c_double), "omit")
        call number(12, o%period, "period")
        call number(13, o%threshold, "threshold")
        call number(14, o%profit, "profit")
        call number(15, o%window, "window")
        call number(16, o%interact, "interact")
        call number(17, o%amplitude, "amplitude")
        call number(18, o%timeout, "timeout")
        call number(19, real(o%wait, c_double), "wait")
        call number(20, real(o%control, c_double), "control")
        call number(21, real(o%polls, c_double), "polls")
        call number(22, real(o%block, c_double), "block")
        call number(23, o%quantum, "quantum")
        call number(24, o%quanta, "quanta")
        call number(25, real(o%movement, c_double), "movement")
        call number(26, real(o%mode, c_double), "mode")
        call number(27, o%restraint, "restraint")
        call number(28, o%delay, "delay")
        call number(29, o%grain, "grain")
        call number(30, real(o%prompt, c_double), "prompt")
        call number(31, real(o%tiles, c_double), "tiles")
        call number(32, real(o%steady, c_double), "steady")
        call number(33, real(o%crowds, c_double), "crowds")
    end subroutine options

    subroutine defaults()
        type(equant_options) :: mine, c

        call c_defaults(c)
        call demand(mine%balance == c%balance, "default of balance")
        call demand(mine%rate == c%rate, "default of rate")
        call demand(mine%filter == c%filter, "default of filter")
        call demand(mine%check == c%check, "default of check")
        call demand(mine%depth == c%depth, "default of depth")
        call demand(mine%ports == c%ports, "default of ports")
        call demand(mine%verbose == c%verbose, "default of verbose")
        call demand(mine%omit == c%omit, "default of omit")
        call demand(mine%wait == c%wait, "default of wait")
        call demand(mine%control == c%control, "default of control")
        call demand(mine%polls == c%polls, "default of polls")
        call demand(mine%block == c%block, "default of block")
        call demand(mine%movement == c%movement, "default of movement")
        call same(mine%quantum, c%quantum, "default of quantum")
        call same(mine%quanta, c%quanta, "default of quanta")
        call same(mine%restraint, c%restraint, "default of restraint")
        call same(mine%delay, c%delay, "default of delay")
        call same(mine%grain, c%grain, "default of grain")
        call demand(mine%prompt == c%prompt, "default of prompt")
        call demand(mine%tiles == c%tiles, "default of tiles")
        call demand(mine%steady == c%steady, "default of steady")
        call demand(mine%crowds == c%crowds, "default of crowds")
        call demand(mine%mode == c%mode, "default of mode")
        call same(mine%period, c%period, "default of period")
        call same(mine%threshold, c%threshold, "default of threshold")
        call same(mine%profit, c%profit, "default of profit")
        call same(mine%window, c%window, "default of window")
        call same(mine%interact, c%interact, "default of interact")
        call same(mine%amplitude, c%amplitude, "default of amplitude")
        call same(mine%timeout, c%timeout, "default of timeout")
    end subroutine defaults

    subroutine same(a, b, what)
        real(c_double), intent(in) :: a, b
        character(len=*), intent(in) :: what

        call demand(transfer(a, 0_c_long) == transfer(b, 0_c_long), what)
    end subroutine same

    subroutine stats()
        type(equant_stats) :: s

        call demand_equal(size_of_stats(), int(c_sizeof(s), c_long), "size of equant_stats")
        call demand_equal(size_of_stats(), said_of_stats(s), "sz of equant_stats")
        call number_stats(s)
        call number(1, real(s%rank, c_double), "rank")
        call number(2, real(s%ranks, c_double), "ranks")
        call demand(s%probe(1) == "0" .and. s%probe(15) == "e", "probe")
        call number(3, s%elapsed, "elapsed")
        call number(4, s%wall, "wall")
        call number(5, s%run, "run")
        call number(6, s%wait, "wait")
        call number(7, s%balancing, "balancing")
        call number(8, s%waiting, "waiting")
        call number(9, s%moving, "moving")
        call number(10, s%total_run, "total_run")
        call number(11, s%total_wait, "total_wait")
        call number(12, s%total_cpu, "total_cpu")
        call number(13, s%speed, "speed")
        call number(14, s%share, "share")
        call number(15, s%quantum, "quantum")
        call number(16, s%first_ns, "first_ns")
        call number(17, real(s%units, c_double), "units")
        call number(18, real(s%computed, c_double), "computed")
        call number(19, real(s%hooks, c_double), "hooks")
        call number(20, real(s%phases, c_double), "phases")
        call number(21, real(s%moves, c_double), "moves")
        call number(22, real(s%sent, c_double), "sent")
        call number(23, real(s%received, c_double), "received")
        call number(24, real(s%fallbacks, c_double), "fallbacks")
        call number(25, real(s%dropped, c_double), "dropped")
        call number(26, real(s%bytes_sent, c_double), "bytes_sent")
        call number(27, real(s%uneven, c_double), "uneven")
        call number(28, real(s%sweeps, c_double), "sweeps")
        call number(29, real(s%block, c_double), "block")
        call number(30, real(s%messages, c_double), "messages")
        call number(31, real(s%chain, c_double), "chain")
    end subroutine stats

    subroutine constants()
        call same_constant("EQUANT_WAIT_SPIN", equant_wait_spin)
        call same_constant("EQUANT_WAIT_YIELD", equant_wait_yield)
        call same_constant("EQUANT_WAIT_BLOCK", equant_wait_block)
        call same_constant("EQUANT_WAIT_AUTO", equant_wait_auto)
        call same_constant("EQUANT_CONTROL_EXCHANGE", equant_control_exchange)
        call same_constant("EQUANT_CONTROL_TREE", equant_control_tree)
        call same_constant("EQUANT_CONTROL_CENTRAL", equant_control_central)
        call same_constant("EQUANT_MOVE_BY_LOOP", equant_move_by_loop)
        call same_constant("EQUANT_MOVE_IN_ORDER", equant_move_in_order)
        call same_constant("EQUANT_TABLE_AUTO", equant_table_auto)
        call same_constant("EQUANT_TABLE_SCATTERED", equant_table_scattered)
        call same_constant("EQUANT_TABLE_INDEXED", equant_table_indexed)
        call same_constant("EQUANT_TABLE_PACKED", equant_table_packed)
        call same_constant("EQUANT_TABLE_REVERSE", equant_table_reverse)
        call same_constant("EQUANT_TABLE_RESTRICTED", equant_table_restricted)
        call same_constant("EQUANT_MODE_PIPELINED", equant_mode_pipelined)
        call same_constant("EQUANT_MODE_ASYNCHRONOUS", equant_mode_asynchronous)
        call same_constant("EQUANT_RATE_PREDICTED", equant_rate_predicted)
        call same_constant("EQUANT_RATE_MEASURED", equant_rate_measured)
        call same_constant("EQUANT_FILTER_NONE", equant_filter_none)
        call same_constant("EQUANT_FILTER_STATES", equant_filter_states)
        call same_constant("EQUANT_FILTER_CONSTANT", equant_filter_constant)
        call same_constant("EQUANT_FILTER_DIRECTION", equant_filter_direction)
        call same_constant("EQUANT_BLOCK", equant_block)
        call same_constant("EQUANT_CYCLIC", equant_cyclic)
        call same_constant("EQUANT_BLOCK_ORDER", equant_block_order)
        call same_constant("EQUANT_SUM", equant_sum)
        call same_constant("EQUANT_MIN", equant_min)
        call same_constant("EQUANT_MAX", equant_max)
    end subroutine constants

    subroutine same_constant(name, value)
        character(len=*), intent(in) :: name
        integer, intent(in) :: value

        call number(constant(name // c_null_char), real(value, c_double), name)
    end subroutine same_constant

    subroutine texts()
        call demand(equant_version() == "0.1.0", "version is " // equant_version())
        call demand(equant_error_text(0) == "", "text of no error")
        call demand(equant_error_text(-1) == "Operation not permitted", "text of -1")
        call demand(equant_error_text(1) == equant_error_text(-1), "text of 1")
    end subroutine texts
end program types_worker
