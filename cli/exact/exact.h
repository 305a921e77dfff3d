/*
 * exact.h - prints each line the first time only, without loss: as awk '!seen[$0]++', but by keyed
 * hashes of 128 bits, by all threads, and in bounded memory.
 *
 * Table      The hashes of all lines go into a table (exact_table.h) in the order of the input, and
 *            a line whose hash is new is printed at once.
 * Two reads  If the table grows large, and the input can be read again, what comes after is not put
 *            into it.  A read by all threads, in any order, claims each hash in a Bloom filter.  At
 *            most one claim of a key wins, so if a line does not win, its key may come twice: its
 *            hash goes into the table, without a mark.  A key that is not in the table then comes
 *            once.  The second read prints: a line that is not in the table; and of those that are
 *            in it, in their order, the first, which sets the mark.  A false positive of the filter
 *            costs a place in the table, and never a line.  A second filter has what the table has:
 *            most lines are asked there alone.
 * Spilling   If the table is full, hashes that would go into it go into a third filter.  A line
 *            that is in this and not in the table is in doubt: exact_spill.h decides it.  An input
 *            that cannot be read again has its lines kept in a file from then on.
 * Counting   How often a key comes is known after the input was read: the first read claims, the
 *            second counts the keys that are in the table (all others come once), the third prints.
 *            An input that cannot be read again is stored first.  A table without room is an error.
 * Seen       Each read asks seen.h, if it is given, before anything else: a line that it has is
 *            neither printed nor claimed.  A line that was printed is added to it.
 *
 * run.h has what one run is, reads.h its reads of the input, hashed.h the lines of a chunk.
 */
#ifndef CLI_EXACT_EXACT_H
#define CLI_EXACT_EXACT_H

#include "cli/exact/run.h"

struct exact_tuning exact_tuning_default(void);

/* The least memory with which this many threads can work. */
uint64_t exact_memory_least(const struct exact_tuning *tuning, unsigned threads);

/* Does it all.  The caller has set the fields before the figures, and zeroed the others.  False
 * after a report. */
bool exact_run(struct exact *exact);

#endif
