/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The Fortran side of the library: what module equant's interfaces call.
 *
 * Arguments come as Fortran hands them over: scalars by address, arrays, assumed-rank arguments
 * and texts as descriptors (ISO_Fortran_binding.h), absent optional arguments as NULL.  Units count
 * from 1 there and from 0 here.
 */
#ifndef EQUANT_FORTRAN_INTERNAL_H
#define EQUANT_FORTRAN_INTERNAL_H

#include <ISO_Fortran_binding.h>
#include <errno.h>
#include <stddef.h>

#include <equant/equant.h>

/* type(equant_context) */
struct fortran_context {
	struct equant *eq;
};

/* type(equant_loop) */
struct fortran_loop {
	struct equant_loop *loop;
};

/**
 * equant_fortran_done() - hand an error on
 * @error: 0 or -errno, whose reason was said where it was found
 * @function: the procedure's name
 * @ierror: receives @error; NULL = the program does not look at errors, so one ends the job
 */
void equant_fortran_done(int error, const char *function, int *ierror);

/** equant_fortran_no_context() - -EINVAL and a message if there is none, else 0 */
int equant_fortran_no_context(const struct fortran_context *c, const char *function);

/** equant_fortran_no_loop() - -EINVAL and a message if there is none, else 0 */
int equant_fortran_no_loop(const struct fortran_loop *l, const char *function);

/**
 * equant_fortran_text() - a Fortran text without its trailing blanks
 * @text: a character scalar, or NULL
 * @buffer: receives it, terminated; what does not fit is cut off
 * @size: of @buffer
 *
 * Return: @buffer, or NULL for an absent or blank text.
 */
const char *equant_fortran_text(const CFI_cdesc_t *text, char *buffer, size_t size);

/** equant_fortran_fill() - a C text into a Fortran character scalar, padded with blanks */
void equant_fortran_fill(const CFI_cdesc_t *text, const char *from);

/**
 * equant_fortran_gap() - where an array is not contiguous
 * @array: any descriptor; the last extent of an assumed-size array may be unknown
 *
 * Return: the first dimension, from 1 on, whose elements do not follow each other; 0 = none.
 */
int equant_fortran_gap(const CFI_cdesc_t *array);

/** equant_fortran_shape() - "10 x 20 elements of 8 bytes" */
void equant_fortran_shape(const CFI_cdesc_t *array, char *text, size_t size);

/**
 * equant_fortran_refused() - is there a reason why this is no array of the loop's units?
 * @l: a loop
 * @array: any descriptor
 * @function: the procedure that wants it
 *
 * Return: 0; -EINVAL and a message that names the fault and the shape.
 */
int equant_fortran_refused(const struct fortran_loop *l, const CFI_cdesc_t *array,
			   const char *function);

/* A unit as C counts; what is no unit stays none. */
static inline long from_zero(const long *unit)
{
	return *unit < 1 ? -1 : *unit - 1;
}

/* Call FUNCTION of a loop, if there is one, and hand on its error. */
#define call_loop(l, ierror, function, ...)                                   \
	equant_fortran_done((l)->loop ? function((l)->loop, ##__VA_ARGS__) :  \
					equant_fortran_no_loop(l, #function), \
			    #function, ierror)

#endif /* EQUANT_FORTRAN_INTERNAL_H */
