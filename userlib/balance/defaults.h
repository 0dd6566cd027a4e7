/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What the decision does unless it is told otherwise: the options of a program (core/options.c) and
 * those of the decision itself begin with the same.
 */
#ifndef EQUANT_BALANCE_DEFAULTS_H
#define EQUANT_BALANCE_DEFAULTS_H

#define EQUANT_DEFAULT_RATE EQUANT_RATE_PREDICTED
#define EQUANT_DEFAULT_FILTER EQUANT_FILTER_STATES
#define EQUANT_DEFAULT_PROMPT 1
#define EQUANT_DEFAULT_STEADY 1
#define EQUANT_DEFAULT_CROWDS 1
#define EQUANT_DEFAULT_PORTS 0
#define EQUANT_DEFAULT_OMIT 0
#define EQUANT_DEFAULT_PERIOD 0
#define EQUANT_DEFAULT_THRESHOLD 0.03
#define EQUANT_DEFAULT_PROFIT 5
#define EQUANT_DEFAULT_WINDOW 10
#define EQUANT_DEFAULT_INTERACT 0.05
#define EQUANT_DEFAULT_AMPLITUDE 0.1
#define EQUANT_DEFAULT_POLLS 0
#define EQUANT_DEFAULT_RESTRAINT 0.85
#define EQUANT_DEFAULT_QUANTUM 0
#define EQUANT_DEFAULT_QUANTA 0

#define EQUANT_QUANTUM_UNSEEN 0.004 /* seconds, until the probe has seen one */

#endif /* EQUANT_BALANCE_DEFAULTS_H */
