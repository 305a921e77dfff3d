/*
 * lfbloom/delta.h - the bits that a version of a filter has and an earlier one lacks, in few bytes.
 *
 * A delta brings a copy of the earlier version up to the later one.  It is a tenth of the filter's
 * size or less if a hundredth of the bits is new, and some 260 bytes for one key, whatever the size
 * of the filter.  docs/formats.md describes its bytes, which are the same on every machine.
 *
 * Guarantees
 *
 * 1. Whole      A delta is checked completely before it changes a bit: its checksums, that it was
 *               made for a filter of this size, strategy and hash, and that each of its bits is in
 *               the filter.  If the call fails, the filter is unchanged.
 * 2. Any order  A delta only turns bits on.  Deltas may be applied in any order, again, and to a
 *               filter that has more keys than the earlier version.
 * 3. Progress   lfb_delta_apply() is lock-free.  Other threads and processes may put, claim and
 *               query meanwhile, and other deltas may be applied.  bits_set stays exact
 *               (lfbloom/filter.h, guarantee 5).
 * 4. Hostile    To apply a delta takes no memory, whatever it says; to apply one from a file takes
 *               as much as the file has bytes.
 *
 * Secret  A delta does not hold the key of a keyed hash.
 * Kinds   Plain filters only; also in mapped files (lfbloom/mapped.h).
 */
#ifndef LFBLOOM_DELTA_H
#define LFBLOOM_DELTA_H

#include <lfbloom/filter_more.h>

LFB_EXTERN_C_BEGIN

/*
 * Writes the delta from an earlier version of a filter to a later one.
 *
 * Takes   earlier  no thread puts into it meanwhile
 *         later    threads may put into it: the delta has the keys put before the call, and some of
 *                  those put during it
 * Fails   LFB_ERROR_BITS_LOST: `earlier` has a bit that `later` lacks.
 *         LFB_ERROR_PROBES_DIFFER, _PROBES_DIFFER_BY_FORMULA, _BIT_COUNT_DIFFERS,
 *         _STRATEGY_DIFFERS, _HASH_DIFFERS: they are not versions of one filter.
 *         LFB_ERROR_NO_MEMORY, or what `write` returned.
 * Memory  the delta's size, up to twice.
 */
LFB_CHECKED lfb_status lfb_delta_write(const lfb_filter *earlier, const lfb_filter *later,
                                       lfb_write_fn write, void *to);

/* Writes the delta to a file, which is replaced as by lfb_filter_save().  Fails as both. */
LFB_CHECKED lfb_status lfb_delta_save(const lfb_filter *earlier, const lfb_filter *later,
                                      const char *path);

/*
 * Turns on the bits of a delta.
 *
 * Takes   delta      its `size` bytes; nobody changes them during the call
 *         turned_on  receives how many bits this call turned on; NULL: not wanted
 * Fails   LFB_ERROR_NOT_DELTA, _UNKNOWN_VERSION, _BAD_DELTA (damaged, cut short or too long).
 *         LFB_ERROR_PROBES_DIFFER, _BIT_COUNT_DIFFERS, _STRATEGY_DIFFERS, _HASH_DIFFERS: it was
 *         made for another filter.
 */
LFB_CHECKED lfb_status lfb_delta_apply(lfb_filter *filter, const void *delta, size_t size,
                                       uint64_t *turned_on);

/* Turns on the bits of a delta in a regular file.  Fails as lfb_delta_apply(), and with
 * LFB_ERROR_OPEN, _READ, _NOT_REGULAR, _NO_MEMORY. */
LFB_CHECKED lfb_status lfb_delta_apply_file(lfb_filter *filter, const char *path,
                                            uint64_t *turned_on);

LFB_EXTERN_C_END

#endif
