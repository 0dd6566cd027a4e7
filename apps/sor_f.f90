! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! sor_f - sor (sor.c) in Fortran: successive overrelaxation of Laplace's equation (Siegell 1995,
! section 1.2.5).
!
! Columns are distributed, as Fortran stores them; the rows are the inner loop that is cut into
! strips.  Mesh and sums, those over all columns included, are those of the sequential program bit
! for bit, which rank 0 verifies, and those of sor: both print the same check word.

! The mesh and what is done to a strip of it.  In a module, because an internal procedure that uses
! its host's variables could be handed to C only by code on the stack.
module sor_mesh
    use, intrinsic :: iso_c_binding, only: c_double, c_ptr
    use equant, only: equant_unit_kind
    implicit none
    private
    public :: errors, kind, mesh, norms, relax, relax_strip

    integer, parameter :: kind = equant_unit_kind
    real(c_double), parameter :: omega = 1.5_c_double

    real(c_double), allocatable, target :: mesh(:, :) ! the outermost elements are fixed
    real(c_double), allocatable, target :: errors(:), norms(:) ! of a sweep, by column

contains
    subroutine relax(mesh, error, norm, i, j)
        real(c_double), intent(inout) :: mesh(0:, 0:), error, norm
        integer(kind), intent(in) :: i, j
        real(c_double) :: mean, old

        old = mesh(i, j)
        mean = (mesh(i, j - 1) + mesh(i - 1, j) + mesh(i, j + 1) + mesh(i + 1, j)) / 4
        mesh(i, j) = (1 - omega) * old + omega * mean
        error = error + abs(mesh(i, j) - old)
        norm = norm + abs(mesh(i, j))
    end subroutine relax

    ! The mesh is the module's, so the context is not needed.
    subroutine relax_strip(context, first, last, from, to) bind(C)
        type(c_ptr), value :: context
        integer(kind), value :: first, last, from, to
        integer(kind) :: i, j

        associate (unused => context)
        end associate
        do j = first, last
            do i = from, to
                call relax(mesh, errors(j), norms(j), i, j)
            end do
        end do
    end subroutine relax_strip
end module sor_mesh

program sor_f
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: error_unit, int64, output_unit, real128
    use mpi_f08, only: MPI_Barrier, MPI_Bcast, MPI_Comm_rank, MPI_Comm_size, MPI_COMM_WORLD, &
        MPI_DOUBLE_PRECISION, MPI_Finalize, MPI_Init, MPI_INTEGER, MPI_MAX, MPI_Reduce, MPI_Wtime
    use equant, only: equant_allreduce_units, equant_block_order, equant_close, equant_context, &
        equant_hook, equant_loop, equant_loop_array, equant_loop_copy, equant_loop_distribute, &
        equant_loop_free, equant_loop_new, equant_loop_pipelined, equant_loop_ranges, &
        equant_loop_stats, equant_loop_sweep, equant_open, equant_options, equant_range, &
        equant_stats, equant_sum
    use sor_mesh, only: errors, kind, mesh, norms, relax, relax_strip
    implicit none

    integer(kind) :: n = 512
    integer(kind) :: most = 20, done = 0 ! sweeps
    real(c_double) :: tolerance = 0, elapsed, longest
    real(c_double) :: error_sum = 0, norm_sum = 0 ! of the last sweep, over all columns
    logical :: quiet = .false., unverified = .false., unwritten = .false., wrong = .false.
    type(equant_options) :: options
    type(equant_stats) :: stats

    integer :: rank, ranks

    ! C's, which says what could not be written; gfortran's flush() does not.
    interface
        function c_puts(text) bind(C, name="puts") result(error)
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: text(*)
            integer(c_int) :: error
        end function c_puts

        function c_fflush(stream) bind(C, name="fflush") result(error)
            import :: c_int, c_ptr
            type(c_ptr), value :: stream
            integer(c_int) :: error
        end function c_fflush

        subroutine c_perror(text) bind(C, name="perror")
            import :: c_char
            character(kind=c_char), intent(in) :: text(*)
        end subroutine c_perror
    end interface

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    if (rank > 0) call verdict(-1)
    call parse()
    if (rank == 0) call verdict(-1)
    allocate(mesh(0:n + 1, 0:n + 1), errors(n), norms(n))
    call solve()
    call MPI_Reduce(elapsed, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD)
    if (rank == 0 .and. .not. unverified) call verify()
    if (rank == 0 .and. .not. quiet) call report()
    call MPI_Finalize()
    if (wrong .or. unwritten) stop 1

contains
    ! Options are read by rank 0 first, as all ranks have the same ones, as a rule: what there is to
    ! say about them is said once, and all end alike, with this status of rank 0 unless it is -1.
    subroutine verdict(status)
        integer, intent(in) :: status
        integer :: all

        all = status
        call MPI_Bcast(all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
        if (all < 0) return
        call MPI_Finalize()
        stop all, quiet=.true.
    end subroutine verdict

    ! Instead of going on after them; of another rank than 0 its options alone are wrong.
    subroutine leave(status)
        integer, intent(in) :: status

        if (rank == 0) call verdict(status)
        stop status, quiet=.true.
    end subroutine leave

    subroutine usage(unit)
        integer, intent(in) :: unit

        write(unit, "(a)") "usage: sor_f [-n SIZE] [-s SWEEPS] [-t TOLERANCE] " // &
            "[--no-balance] [--no-verify] [--quiet]", &
            "  -n, --size SIZE            rows and columns (default 512)", &
            "  -s, --sweeps SWEEPS        relaxations, at most (default 20)", &
            "  -t, --tolerance TOLERANCE  end when a sweep changes the mesh by less (default 0)", &
            "  --no-balance               columns stay where they are", &
            "  --no-verify                trust the result, which takes long to compute again"
        call leave(merge(0, 2, unit == output_unit))
    end subroutine usage

    subroutine refuse(name, text, wanted)
        character(len=*), intent(in) :: name, text, wanted

        write(error_unit, "(6a)") "sor_f: ", trim(name), " ", trim(text), ": not a number ", wanted
        call leave(2)
    end subroutine refuse

    subroutine complain(fault, name)
        character(len=*), intent(in) :: fault, name

        write(error_unit, "(5a)") "sor_f: ", fault, " '", trim(name), "'"
        call usage(error_unit)
    end subroutine complain

    subroutine argument(i, text)
        integer, intent(in) :: i
        character(len=*), intent(out) :: text
        integer :: error

        call get_command_argument(i, text, status=error)
        if (error /= 0) call complain("too long an argument begins with", text)
    end subroutine argument

    subroutine parse()
        character(len=64) :: name, value
        integer :: i

        i = 1
        do while (i <= command_argument_count())
            call argument(i, name)
            select case (name)
            case ("--no-balance")
                options%balance = 0
            case ("--no-verify")
                unverified = .true.
            case ("--quiet")
                quiet = .true.
            case ("-h", "--help")
                call usage(output_unit)
            case ("-n", "--size", "-s", "--sweeps", "-t", "--tolerance")
                if (i == command_argument_count()) call complain("the value is missing after", name)
                i = i + 1
                call argument(i, value)
                call set(name, value)
            case default
                call complain("unknown option", name)
            end select
            i = i + 1
        end do
    end subroutine parse

    subroutine set(name, value)
        character(len=*), intent(in) :: name, value
        integer :: error
        logical :: unread ! blanks are nothing to read(), and a comma ends what it reads

        unread = value == "" .or. scan(trim(value), " ,") > 0
        select case (name)
        case ("-n", "--size")
            read(value, "(i64)", iostat=error) n
            if (unread .or. error /= 0 .or. n < 0 .or. n > 20000) &
                call refuse(name, value, "from 0 to 20000")
        case ("-s", "--sweeps")
            read(value, "(i64)", iostat=error) most
            if (unread .or. error /= 0 .or. most < 0 .or. most > 1000000) &
                call refuse(name, value, "from 0 to 1000000")
        case default
            read(value, "(f64.0)", iostat=error) tolerance
            if (unread .or. error /= 0 .or. .not. tolerance >= 0) &
                call refuse(name, value, "of at least 0")
        end select
    end subroutine set

    ! The border is what the solution depends on; the inside is a guess.
    subroutine fill_column(mesh, j)
        real(c_double), intent(inout) :: mesh(0:, 0:)
        integer(kind), intent(in) :: j
        integer(kind) :: i

        do i = 0, n + 1
            mesh(i, j) = 50
            if (i == 0 .or. j == 0 .or. i == n + 1 .or. j == n + 1) &
                mesh(i, j) = real(mod(i * 13 + j * 7, 100_kind), c_double)
        end do
    end subroutine fill_column

    subroutine sweep(columns)
        type(equant_loop), intent(in) :: columns
        type(equant_range), allocatable :: own(:)
        integer :: k

        call equant_loop_ranges(columns, own)
        do k = 1, size(own)
            errors(own(k)%first:own(k)%last) = 0
            norms(own(k)%first:own(k)%last) = 0
        end do
        call equant_loop_sweep(columns, n, relax_strip)
        call equant_allreduce_units(columns, errors, equant_sum, error_sum)
        call equant_allreduce_units(columns, norms, equant_sum, norm_sum)
        done = done + 1
    end subroutine sweep

    pure function change(error, norm)
        real(c_double), intent(in) :: error, norm
        real(c_double) :: change

        change = 0
        if (norm > 0) change = error / norm
    end function change

    subroutine set_up(eq, columns)
        type(equant_context), intent(in) :: eq
        type(equant_loop), intent(out) :: columns
        type(equant_range), allocatable :: own(:)
        integer(kind) :: j
        integer :: k

        call equant_loop_new(columns, eq, "columns", n)
        call equant_loop_distribute(columns, equant_block_order)
        call equant_loop_array(columns, mesh(:, 1:n))
        call equant_loop_pipelined(columns, mesh(:, 1:n), skip=1_kind)
        call equant_loop_array(columns, errors)
        call equant_loop_array(columns, norms)
        call fill_column(mesh, 0_kind)
        call fill_column(mesh, n + 1)
        call equant_loop_ranges(columns, own)
        do k = 1, size(own)
            do j = own(k)%first, own(k)%last
                call fill_column(mesh, j)
            end do
        end do
    end subroutine set_up

    subroutine solve()
        type(equant_context) :: eq
        type(equant_loop) :: columns
        integer(kind) :: j

        call equant_open(eq, MPI_COMM_WORLD, options)
        call set_up(eq, columns)
        call MPI_Barrier(MPI_COMM_WORLD)
        elapsed = -MPI_Wtime()
        call equant_hook(columns)
        do while (done < most)
            call sweep(columns)
            if (change(error_sum, norm_sum) < tolerance) exit
        end do
        elapsed = elapsed + MPI_Wtime()
        do j = 1, n ! a column and its sums
            call equant_loop_copy(columns, j, 0)
        end do
        call equant_loop_stats(columns, stats)
        call equant_loop_free(columns)
        call equant_close(eq)
    end subroutine solve

    ! The sequential program: row by row, each from left to right (figure 1.9a), until it is good
    ! enough.
    subroutine solve_alone(alone, error, norm, sweeps)
        real(c_double), intent(out) :: alone(0:, 0:), error(:), norm(:)
        integer(kind), intent(out) :: sweeps
        integer(kind) :: i, j

        do j = 0, n + 1
            call fill_column(alone, j)
        end do
        sweeps = 0
        do while (sweeps < most)
            error = 0
            norm = 0
            do i = 1, n
                do j = 1, n
                    call relax(alone, error(j), norm(j), i, j)
                end do
            end do
            sweeps = sweeps + 1
            if (change(total(error), total(norm)) < tolerance) exit
        end do
    end subroutine solve_alone

    ! Rounded once, as equant_allreduce_units() has it: what is added has the same sign, and 60 bits
    ! are to spare.
    pure function total(values)
        real(c_double), intent(in) :: values(:)
        real(c_double) :: total

        total = real(sum(real(values, real128)), c_double)
    end function total

    subroutine verify()
        real(c_double), allocatable :: alone(:, :), error(:), norm(:)
        integer(kind) :: j, sweeps, wrongs

        allocate(alone(0:n + 1, 0:n + 1), error(n), norm(n))
        call solve_alone(alone, error, norm, sweeps)
        wrongs = 0
        do j = 1, n
            if (check_word(alone(:, j)) /= check_word(mesh(:, j))) wrongs = wrongs + 1
        end do
        wrong = wrongs > 0
        if (done > 0) wrong = wrong .or. check_word(error) /= check_word(errors) .or. &
            check_word(norm) /= check_word(norms)
        if (wrong) write(error_unit, "(2(a, i0), a)") "sor_f: ", wrongs, " of ", n, &
            " columns or their sums are wrong"
        call verify_end(error, norm, sweeps)
    end subroutine verify

    ! When it ended, and the sums by which it did.
    subroutine verify_end(error, norm, sweeps)
        real(c_double), intent(in) :: error(:), norm(:)
        integer(kind), intent(in) :: sweeps

        if (sweeps /= done) write(error_unit, "(2(a, i0))") "sor_f: it ended after ", done, &
            " sweeps, not ", sweeps
        wrong = wrong .or. sweeps /= done
        if (sweeps == 0) return
        if (check_word([error_sum, norm_sum]) == check_word([total(error), total(norm)])) return
        write(error_unit, "(4(a, es24.16e3))") "sor_f: error", error_sum, " and norm", norm_sum, &
            " of the last sweep, not", total(error), " and", total(norm)
        wrong = .true.
    end subroutine verify_end

    ! Every bit of every element counts, and where the element is.
    pure function check_word(values) result(word)
        real(c_double), intent(in) :: values(:)
        integer(int64) :: word
        integer :: i

        word = 0
        do i = 1, size(values)
            word = ieor(ishftc(word, 1), transfer(values(i), word))
        end do
    end function check_word

    subroutine report()
        character(len=12) :: verdict
        character(len=300) :: line
        integer(int64) :: word
        integer(kind) :: j

        verdict = merge("WRONG   ", "verified", wrong)
        if (unverified) verdict = "not verified"
        word = 0
        do j = 0, n + 1
            word = ieor(ishftc(word, 1), check_word(mesh(:, j)))
        end do
        write(line, "(4(a, i0), a, es9.3, a, z16.16, a, es9.3, 2a)") "sor_f: n=", n, &
            " ranks=", ranks, " sweeps=", done, " block=", stats%block, &
            " change=", change(error_sum, norm_sum), " check=", word, &
            " elapsed=", longest, " s ", trim(verdict)
        unwritten = c_puts(trim(line) // c_null_char) < 0
        if (.not. unwritten) unwritten = c_fflush(c_null_ptr) /= 0
        if (unwritten) call c_perror("sor_f: standard output" // c_null_char)
    end subroutine report
end program sor_f
