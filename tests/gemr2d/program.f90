! SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
!
! A program in Fortran as users of ScaLAPACK write it, which knows nothing of equant: matrices go
! from one grid to another, by pdgemr2d, by pzgemr2d, and by pdlamve, with which ScaLAPACK itself
! calls pdgemr2d.
program redistribute
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: m = 173, n = 91
    integer :: me, processes, all, wide, tall
    integer :: from(9), to(9)
    complex(real64), allocatable :: a(:), b(:)
    external :: blacs_pinfo, blacs_get, blacs_gridinit, blacs_gridinfo
    external :: blacs_gridexit, blacs_exit, blacs_barrier, descinit, pdgemr2d, pzgemr2d, pdlamve
    integer, external :: numroc

    call blacs_pinfo(me, processes)
    call blacs_get(-1, 0, all)
    call blacs_gridinit(all, "R", 1, processes)
    call blacs_get(-1, 0, wide)
    call blacs_gridinit(wide, "R", 1, processes)
    call blacs_get(-1, 0, tall)
    call blacs_gridinit(tall, "C", processes, 1)
    call describe(from, wide, 7, 3)
    call describe(to, tall, 16, 32)
    allocate (a(max(1, length(from))), b(max(1, length(to))))

    call fill(a, from)
    b = 0
    call pzgemr2d(m, n, a, 1, 1, from, b, 1, 1, to, all)
    call compare("pzgemr2d", b, to, .true.)
    call doubles("pdgemr2d")
    call doubles("pdlamve")

    call blacs_barrier(all, "A")
    if (me == 0) print "(a)", "all elements are at their places"
    call blacs_gridexit(wide)
    call blacs_gridexit(tall)
    call blacs_gridexit(all)
    call blacs_exit(0)

contains

    subroutine describe(desc, context, row_block, column_block)
        integer, intent(out) :: desc(9)
        integer, intent(in) :: context, row_block, column_block
        integer :: rows, columns, row, column, info

        call blacs_gridinfo(context, rows, columns, row, column)
        call descinit(desc, m, n, row_block, column_block, 0, 0, context, &
                      max(1, numroc(m, row_block, row, 0, rows)), info)
        if (info /= 0) error stop "descinit"
    end subroutine

    integer function columns_here(desc)
        integer, intent(in) :: desc(9)
        integer :: rows, columns, row, column

        call blacs_gridinfo(desc(2), rows, columns, row, column)
        columns_here = numroc(n, desc(6), column, 0, columns)
    end function

    integer function length(desc)
        integer, intent(in) :: desc(9)

        length = desc(9) * columns_here(desc)
    end function

    ! What the element of a matrix is that the local one at (i, j) is, both counted from 0.
    complex(real64) function element(desc, i, j)
        integer, intent(in) :: desc(9), i, j
        integer :: rows, columns, row, column, global_i, global_j

        call blacs_gridinfo(desc(2), rows, columns, row, column)
        global_i = (i / desc(5) * rows + row) * desc(5) + mod(i, desc(5))
        global_j = (j / desc(6) * columns + column) * desc(6) + mod(j, desc(6))
        element = cmplx(1000 * global_i + global_j + 1, -global_i - 1, real64)
    end function

    integer function rows_here(desc)
        integer, intent(in) :: desc(9)
        integer :: rows, columns, row, column

        call blacs_gridinfo(desc(2), rows, columns, row, column)
        rows_here = numroc(m, desc(5), row, 0, rows)
    end function

    subroutine fill(x, desc)
        complex(real64), intent(out) :: x(:)
        integer, intent(in) :: desc(9)
        integer :: i, j

        x = 0
        do j = 0, columns_here(desc) - 1
            do i = 0, rows_here(desc) - 1
                x(j * desc(9) + i + 1) = element(desc, i, j)
            end do
        end do
    end subroutine

    subroutine compare(name, x, desc, imaginary)
        character(*), intent(in) :: name
        complex(real64), intent(in) :: x(:)
        integer, intent(in) :: desc(9)
        logical, intent(in) :: imaginary
        complex(real64) :: expected
        integer :: i, j

        do j = 0, columns_here(desc) - 1
            do i = 0, rows_here(desc) - 1
                expected = element(desc, i, j)
                if (.not. imaginary) expected = real(expected)
                if (abs(x(j * desc(9) + i + 1) - expected) > 0) then
                    print "(2a,2i5,a,i3)", name, ": wrong element", i, j, " on process", me
                    error stop 1
                end if
            end do
        end do
    end subroutine

    subroutine doubles(name)
        character(*), intent(in) :: name
        real(real64), allocatable :: x(:), y(:), work(:)

        allocate (x(size(a)), y(size(b)), work(4 * m * n))
        x = real(a)
        y = 0
        if (name == "pdgemr2d") then
            call pdgemr2d(m, n, x, 1, 1, from, y, 1, 1, to, all)
        else
            call pdlamve("A", m, n, x, 1, 1, from, y, 1, 1, to, work)
        end if
        call compare(name, cmplx(y, 0, real64), to, .false.)
    end subroutine
end program
