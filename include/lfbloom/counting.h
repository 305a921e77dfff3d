/*
 * lfbloom/counting.h - a Bloom filter from which keys can be removed.
 *
 * Instead of each bit it has a counter of 4 bits: the number of keys that have that bit.  A put
 * adds 1 to each of its key's counters, a removal subtracts 1.  A key is maybe present if none of
 * its counters is 0.
 *
 * Do not use it
 *   if all keys are removed together: a new filter is cheaper;
 *   if nothing is ever removed: it takes four times the memory;
 *   if the same key is put again and again without being removed: its counters get stuck at 15;
 *   if a caller cannot be sure that the key it removes was put: see Rule.
 *
 * Guarantees
 *
 * 1. Rule    Remove a key at most as often as it was put.  Each removal needs a put of its own, of
 *            the same key by the same kind of call, that returned before the removal began, in the
 *            happens-before sense.  All else may run at once: other keys, and puts and removals of
 *            the same key.
 * 2. Found   While all callers keep the rule, a key is found from the return of its put to the
 *            start of that put's removal, regardless of what other threads put and remove.
 *    Why     Each removal that subtracts 1 from a counter has a put that added 1 to it before.  A
 *            counter that never reached 15 is therefore at least the number of puts without a
 *            removal, and the key's put is one of them.  Puts and removals in progress only make
 *            counters higher than they will be; a counter stuck at 15 is never 0.
 *    Order   A put's compare-and-exchange of a word happens before its removal's of the same word.
 *            So it comes first in the order in which that word changes.
 * 3. Removed  After a removal the key is definitely absent again, unless it was put more often or
 *            other keys have all its counters.  Except for stuck counters, a filter of the
 *            remaining keys would answer "maybe" in exactly these cases, too.
 * 4. Once    If two of a key's bits are the same bit, they are one counter, which put and removal
 *            change by 1.  Put and removal always agree.
 * 5. Stuck   A counter that reaches 15 stays there permanently, and its bit stays on; stats counts
 *            them.  In a filter made for an fpp of at most 0.5, with its n keys put once each, a
 *            counter is stuck with a probability below 1e-9.  This does not hold for go-fnv14,
 *            which has one size for any n.
 * 6. Broken  These are the effects of a removal against the rule.
 *    Absent  If the key is definitely absent, the removal is refused and nothing changes.
 *    Never put  If the key is a false positive, the removal lowers counters of other keys.
 *            Queries can report those keys absent from then on, permanently.
 *    Twice   If two threads at once remove a key that was put once, one succeeds (both, if the key
 *            is a false positive without that put).  The other is refused, and restores what it
 *            had already subtracted.  Until then, keys that share those counters can be missing;
 *            permanently, if that thread stops before and never runs again.
 * 7. Progress  might_contain is wait-free; put, put_all and remove are lock-free.  They retry only
 *            because another thread changed a counter of the same word.  After a thread's first
 *            call none of them allocates, locks or enters the kernel.
 * 8. Stopped  A thread that stops inside a put or a removal, and never runs again, blocks no other
 *            thread.  It leaves counters at most higher than they should be (except for 6).
 * 9. Order   As lfbloom/filter.h, 7: counters are relaxed.  A query that returns true does not make
 *            another thread's earlier writes visible.
 *
 * Memory     A 64-bit word holds the counters of 16 bits of a plain filter.
 *
 *              strategy   lines that a key touches
 *              fast       one per pair of words: 1 at 1 %, 2 at 0.1 %, 4 at 1e-6 (half of
 *                         words_per_key of stats); they are among 4 or 8 adjacent lines
 *              sbbf       2
 *              others     one per counter
 *
 * Plain      lfb_any_to_plain() makes the plain filter of the keys that are present.  It equals a
 *            filter of the same strategy, size and hash into which only the remaining keys were
 *            put, plus the bits of stuck counters.  It is independent, and no key can be removed
 *            from it.
 * Files, copies  lfb_any_save() keeps the counts, in a form of its own (docs/formats.md); in what
 *            is read or copied, keys can be removed as often as before, and stuck counters are
 *            stuck.  A key that is present from before the call until it returns is present in what
 *            is written.  A key that another thread puts or removes during the call is written with
 *            some of its counters.  No other key gets too few, but these counters may stay too high
 *            in what is read, and a removal of that key there is against the rule.  To write
 *            exactly the keys that are present, write while nothing else runs.  With
 *            lfb_read_limits.open_damaged, counters that do not match their checksum are all stuck
 *            at 15: no key is lost; lfb_damage.bits_missing is 0.
 *
 * Which calls may run at once: any two, except that free runs alone.
 *
 * Source: Fan, Cao, Almeida and Broder, "Summary Cache", 2000: counters of 4 bits that stay at
 * their maximum.
 */
#ifndef LFBLOOM_COUNTING_H
#define LFBLOOM_COUNTING_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

/* A concurrent counting Bloom filter. */
typedef struct lfb_counting lfb_counting;

/*
 * Makes an empty counting filter.
 *
 * Takes  config  as lfb_filter_create().
 * Fails  as lfb_filter_create().
 * Owner  the caller, until lfb_counting_free().
 */
LFB_CHECKED lfb_status lfb_counting_create(const lfb_config *config, lfb_counting **counting);

/* Frees a counting filter that no call is using.  NULL is ignored. */
LFB_API void lfb_counting_free(lfb_counting *counting);

/*
 * Puts a key of `size` bytes.
 *
 * Returns whether a counter was 0 before.  false: the key, or other keys with the same counters,
 *         were present.  In both cases the key is present once more, and may be removed once
 *         more.
 */
LFB_API bool lfb_counting_put(lfb_counting *counting, const void *bytes, size_t size);

/* Returns whether the key may be present; false is certain. */
LFB_API bool lfb_counting_might_contain(const lfb_counting *counting, const void *bytes,
                                        size_t size);

/*
 * Takes back one put of the key.
 *
 * Returns whether it did.  false: the key was definitely absent, or another removal took back the
 *         last put during the call; nothing is changed.
 */
LFB_API bool lfb_counting_remove(lfb_counting *counting, const void *bytes, size_t size);

/* The same for a 64-bit key. */
LFB_API bool lfb_counting_put_u64(lfb_counting *counting, uint64_t key);
LFB_API bool lfb_counting_might_contain_u64(const lfb_counting *counting, uint64_t key);
LFB_API bool lfb_counting_remove_u64(lfb_counting *counting, uint64_t key);

/*
 * Adds all keys of `from` to `into`: each key is then present as often as in both together, and
 * may be removed as often.  Counters with a sum of 15 or more are stuck.
 *
 * During    If other threads put keys into `from` or remove keys from it during the call, `into`
 *           may get counters that no removal takes back: too high, never too low.
 * Fails     LFB_ERROR_SAME_FILTER, _PROBES_DIFFER, _PROBES_DIFFER_BY_FORMULA,
 *           _BIT_COUNT_DIFFERS, _STRATEGY_DIFFERS, _HASH_DIFFERS, as lfb_filter_put_all() does:
 *           `into` is unchanged.  With the default hash, each new filter has another key: make the
 *           second by lfb_config_take_hash() of the plain filter of the first (below).
 * Progress  lock-free, as put.
 */
LFB_CHECKED lfb_status lfb_counting_put_all(lfb_counting *into, const lfb_counting *from);

/*
 * Writes the figures now: those that lfb_filter_stats() would write for the plain filter to which
 * it converts, except for two.  `bytes` is the size of the counters, and `counters_stuck` the
 * number of stuck ones.
 *
 * Exact  bits_set, and the figures computed from it, while no put or removal is running.  While
 *        some are, bits_set may differ by as many bits as they change during the call.
 */
LFB_API void lfb_counting_stats(const lfb_counting *counting, lfb_stats *stats);

LFB_EXTERN_C_END

#endif
