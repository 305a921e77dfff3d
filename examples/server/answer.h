/*
 * answer.h - the server's protocol: a line in, a line out.
 *
 *   PUT KEY    1 if that was new to the filter, else 0 (of several who put it at once, more
 *              than one may be told 1)
 *   CLAIM KEY  1 to the one client whose key it is now, else 0
 *   HAS KEY    1 if the key may be in, 0 if it surely is not
 *   COUNT      about how many keys are in
 *
 * A key is the rest of its line, of at least one byte, any but the line's end.  All else is
 * answered "ERR" and why.
 */
#ifndef SERVER_ANSWER_H
#define SERVER_ANSWER_H

#include <lfbloom/filter.h>

enum { ANSWER_MOST = 64 }; /* bytes of an answer with its newline */

/* Does what a line of `size` bytes says; the size of the answer in `out`.  Any thread. */
size_t answer_line(lfb_filter *filter, const char *line, size_t size, char out[ANSWER_MOST]);

#endif
