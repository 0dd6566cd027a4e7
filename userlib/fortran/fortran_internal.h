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
#include <stdint.h>

#include <equant/equant.h>

/* type(equant_context), of equant_open() */
struct fortran_context {
	uintptr_t handle;
};

/* type(equant_loop), of equant_loop_new() */
struct fortran_loop {
	uintptr_t handle;
};

/**
 * equant_fortran_reserve() - a handle for an object that is going to be made
 * @function: the procedure that makes it
 *
 * Any thread may call these at any time; an object that goes is used by none.
 *
 * Return: the handle; 0 after a message, if there are too many.
 */
uintptr_t equant_fortran_reserve(const char *function);

/**
 * equant_fortran_made() - it is made, or could not be
 * @handle: of equant_fortran_reserve(); 0 = none
 * @object: it; NULL = the handle is given back
 * @owner: what it will go with, or NULL
 *
 * Return: the handle of @object, or 0.
 */
uintptr_t equant_fortran_made(uintptr_t handle, void *object, const void *owner);

/** equant_fortran_object() - what was kept; NULL once it is forgotten, and for any number that is no handle */
void *equant_fortran_object(uintptr_t handle);

/** equant_fortran_forget() - it is about to go, and all that go with it */
void equant_fortran_forget(const void *object);

static inline struct equant *context_of(const struct fortran_context *c)
{
	return equant_fortran_object(c->handle);
}

static inline struct equant_loop *loop_of(const struct fortran_loop *l)
{
	return equant_fortran_object(l->handle);
}

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
#define call_loop(l, ierror, function, ...)                                    \
	equant_fortran_done(loop_of(l) ? function(loop_of(l), ##__VA_ARGS__) : \
					 equant_fortran_no_loop(l, #function), \
			    #function, ierror)

#endif /* EQUANT_FORTRAN_INTERNAL_H */
