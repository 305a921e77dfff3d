/*
 * seen.h - what earlier runs of `lfbloom dedupe --seen FILE` have printed: a set of hashes of 128
 * bits in a file, which docs/formats.md describes (state of dedupe).
 *
 * The file has the key of the hash, and runs: sets of hashes in their order, each with a Bloom
 * filter in front of it, which is in memory.  seen_commit() adds one run at the end, into which it
 * merges the smaller ones, and then writes the head, which alone says where the runs are; so a
 * process that is killed leaves the runs that were, or the new ones.  Then it moves the new run to
 * where the merged ones were, piece by piece, each after a head that says how far it is.
 *
 * Processes  seen_open() locks the file until seen_close(), or until the process ends.
 * Threads    seen_ask() may run concurrently; otherwise one thread at a time.
 */
#ifndef CLI_EXACT_SEEN_H
#define CLI_EXACT_SEEN_H

#include <lfbloom/filter_more.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/exact/table.h"

struct seen;

/* Opens the file, or makes it, and locks it: while another process has it, says so and waits.  New
 * hashes are kept in files in `temp`, as in cli/exact/spill.h, until they are committed.  NULL
 * after a report. */
struct seen *seen_open(const char *path, const char *temp);

/* The key that all hashes were made with: LFB_HASH128_KEY bytes. */
const uint8_t *seen_key(const struct seen *seen);

/* The memory that the filters take, and new hashes until they are committed. */
uint64_t seen_bytes(const struct seen *seen);

/* Sets bit i % 64 of word i / 64 of `has` to whether hash i was committed.  `maybe` is room for as
 * many bits.  False after a report. */
bool seen_ask(const struct seen *seen, const uint64_t *low, const uint64_t *high, size_t count,
              uint64_t *maybe, uint64_t *has);

/* Notes a hash that was not committed and not added, for seen_commit().  False after a report. */
bool seen_add(struct seen *seen, struct exact_hash hash);

/* Whether the path leads to the file. */
bool seen_is_at(const struct seen *seen, const char *path);

/* Commits the hashes that were added, with about `memory` bytes.  To be called once, after their
 * lines were printed.  False after a report: then none is committed. */
bool seen_commit(struct seen *seen, uint64_t memory);

void seen_close(struct seen *seen);

/* Whether it is such a file, by its first bytes. */
bool seen_is(const char *path);

/* Waits until no run uses a file, and compares all of it.  Fails as lfb_filter_load(). */
lfb_status seen_verify(const char *path, lfb_damage *damage);

#endif
