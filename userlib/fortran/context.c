// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Contexts; a communicator is the integer that both Fortran modules of MPI hold. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <equant/probe.h>

#include "core/message.h"
#include "fortran/fortran_internal.h"

struct texts {
	char probe[PATH_MAX];
	char trace[PATH_MAX];
	char report[PATH_MAX];
	char replay[PATH_MAX];
};

/* As many bytes as the program knows, for the library to judge. */
static struct equant_options *copy_options(const struct equant_options *user)
{
	size_t sz = user ? user->sz : 0;
	struct equant_options *o = malloc(sz > sizeof(*o) ? sz : sizeof(*o));

	if (!o) {
		equant_message("equant_open: no memory for the options");
		return NULL;
	}
	equant_options_init(o);
	if (user)
		memcpy(o, user, sz);
	return o;
}

EQUANT_API void equant_fortran_open(struct fortran_context *c, const int *comm,
				    const struct equant_options *options, const CFI_cdesc_t *probe,
				    const CFI_cdesc_t *trace, const CFI_cdesc_t *report,
				    const CFI_cdesc_t *replay, int *ierror)
{
	/* Refused by the library on all ranks together: none waits for one that has no memory, or no handle. */
	static const struct equant_options none;
	struct equant_options *o = copy_options(options);
	struct texts t;
	uintptr_t handle = equant_fortran_reserve("equant_open");
	struct equant *eq = NULL;
	int error;

	if (o) {
		o->probe = equant_fortran_text(probe, t.probe, sizeof(t.probe));
		o->trace = equant_fortran_text(trace, t.trace, sizeof(t.trace));
		o->report = equant_fortran_text(report, t.report, sizeof(t.report));
		o->replay = equant_fortran_text(replay, t.replay, sizeof(t.replay));
	}
	error = equant_open(&eq, MPI_Comm_f2c(*comm), o && handle ? o : &none);
	c->handle = equant_fortran_made(handle, error ? NULL : eq, NULL);
	free(o);
	equant_fortran_done(error, "equant_open", ierror);
}

EQUANT_API void equant_fortran_close(struct fortran_context *c, int *ierror)
{
	struct equant *eq = context_of(c);

	/* With its loops: equant_close() frees those that are open. */
	equant_fortran_forget(eq);
	c->handle = 0;
	equant_fortran_done(equant_close(eq), "equant_close", ierror);
}

EQUANT_API void equant_fortran_probe_name(const struct fortran_context *c, const CFI_cdesc_t *text)
{
	equant_fortran_fill(text,
			    context_of(c) ? equant_probe_name(equant_probe(context_of(c))) : "");
}

EQUANT_API int equant_fortran_probe_features(const struct fortran_context *c)
{
	return context_of(c) ? (int)equant_probe_features(equant_probe(context_of(c))) : 0;
}

/* Call FUNCTION of a context, if there is one, and hand on its error. */
#define call_context(c, ierror, function)                                            \
	equant_fortran_done(context_of(c) ? function(context_of(c)) :                \
					    equant_fortran_no_context(c, #function), \
			    #function, ierror)

EQUANT_API void equant_fortran_team_join(const struct fortran_context *c, int *ierror)
{
	call_context(c, ierror, equant_team_join);
}

EQUANT_API void equant_fortran_team_leave(const struct fortran_context *c, int *ierror)
{
	call_context(c, ierror, equant_team_leave);
}

EQUANT_API void equant_fortran_barrier(const struct fortran_context *c, int *ierror)
{
	call_context(c, ierror, equant_barrier);
}
