/*
 * answer.h - the server's protocol: a line in, a line out.
 *
 *   PUT KEY    1 if the key was new to the filter, else 0 (several clients that put a new key
 *              concurrently may all receive 1)
 *   CLAIM KEY  1 to the one client that now owns the key, else 0
 *              (of a window: 1 again to one client once its span is over)
 *   HAS KEY    1 if the key is maybe present, 0 if it is definitely absent
 *   COUNT      about how many keys are present
 *
 * A key is the rest of its line: at least one byte, of any value except a newline.  The answer to
 * any other line is "ERR" and the reason.
 */
#ifndef SERVER_ANSWER_H
#define SERVER_ANSWER_H

#include <lfbloom/any.h>

enum { ANSWER_MOST = 64 }; /* bytes of an answer with its newline */

/* Executes a line of `size` bytes; returns the size of the answer in `out`.  Any thread. */
size_t answer_line(lfb_any keys, const char *line, size_t size, char out[ANSWER_MOST]);

#endif
