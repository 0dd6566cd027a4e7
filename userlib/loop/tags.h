/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_TAGS_H
#define EQUANT_LOOP_TAGS_H

/* A loop's private communicator carries nothing else. */
enum equant_tag {
	EQUANT_TAG_MOVE = 1,
	EQUANT_TAG_COST,
	EQUANT_TAG_SLICE,
	EQUANT_TAG_GHOST,
	EQUANT_TAG_SWEEP,
	EQUANT_TAG_STRIP,
	EQUANT_TAG_ABOVE,
	EQUANT_TAG_ABORT,
	EQUANT_TAG_UP,
	EQUANT_TAG_NOTICE,
	EQUANT_TAG_AGREE,
	EQUANT_TAG_PART,
	EQUANT_TAG_PARTED,
	EQUANT_TAG_CONTROL = 256, /* the first of as many as interactions may be under way */
};

/* In a context's communicator, beyond those of its comparisons. */
#define EQUANT_TAG_LOST 0x7fff

#endif /* EQUANT_LOOP_TAGS_H */
