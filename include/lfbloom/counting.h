/*
 * lfbloom/counting.h - a filter from which keys can be removed.
 *
 *   lfb_counting_create(&config, &counting)             makes a filter
 *   lfb_counting_put(counting, bytes, size)             puts a key; false: the filter is full
 *   lfb_counting_might_contain(counting, bytes, size)   false: the key is certainly absent
 *   lfb_counting_remove(counting, bytes, size)          takes back one put of a key
 *   lfb_any_save(), lfb_any_open(), lfb_any_copy()      lfbloom/any.h
 *
 * By default it has strategy `tags`: of each key it stores a tag, a copy of some bits of its hash,
 * in one of two cache lines.  At 0.1 % and 1 % that takes 16.9 bits a key, at 1e-4 22.9, at 1e-6
 * 35.6 (T = 16, 21 and 32 bits of a tag); a smaller fpp than 7e-9 is refused.  With any other
 * strategy it has a counter of 4 bits for each bit of the plain filter: four times its memory, but
 * lfb_any_to_plain() makes that filter.
 *
 * Do not use it
 *   if all keys are removed together: a new filter is cheaper;
 *   if nothing is ever removed: a plain filter is smaller and faster;
 *   if a caller cannot be sure that the key it removes was put: see Rule.
 *
 * Guarantees
 *
 * 1. Rule    Remove a key at most as often as it was put.  Each removal needs a put of its own, of
 *            the same key by the same kind of call, that returned true before the removal began, in
 *            the happens-before sense.  All else may run at once: other keys, and puts and removals
 *            of the same key.  A put only `if (!might_contain())` breaks the rule: it does not put
 *            a false positive, so it later removes a key that was not put.
 * 2. Found   While all callers keep the rule, a key is found from the return of its put to the
 *            start of that put's removal, regardless of what other threads put and remove; and no
 *            removal is refused.  bloom/counting/tags.h has the proof.  Of counters: each removal
 *            that subtracts 1 has a put that added 1 before, so a counter that never reached 15 is
 *            at least the number of puts without a removal.
 * 3. Removed  After a removal the key is definitely absent again, unless it was put more often or
 *            other keys have its tag in its lines (or all its counters).  If another thread's put
 *            is moving that tag, this holds once that put has returned.
 * 4. Often   It counts: a key that was put twice must be removed twice.
 * 5. Full    Tags: a put that sees no free slot returns false, stores nothing and changes no
 *            answer; such a key must not be removed.  (Puts and removals of other threads may free
 *            a slot meanwhile.)  With at most expected_insertions keys present, each at most
 *            config.copies times, fewer than 1 put in 10^7 is refused (with more than 3 copies: in
 *            10^6).  Many copies of few keys fill their lines sooner: a line has 32, 24 or 16
 *            slots.  So anyone who may put a key often can have other keys refused, also without
 *            the key of the hash: a server should put a key only when it is new to its own map.
 *    Stuck   Counters: a counter that reaches 15 stays there permanently, and its bit stays on;
 *            stats counts them.  In a filter made for an fpp of at most 0.5, with its n keys put
 *            once each, a counter is stuck with a probability below 1e-9.  This does not hold for
 *            go-fnv14, which has one size for any n.
 * 6. Broken  These are the effects of a removal against the rule.
 *    Absent  If the key is definitely absent, the removal is refused and nothing changes.
 *    Never put  Tags: if the key is a false positive, or its put has not returned, the removal
 *            takes a copy that belongs to another key with the same tag and lines: one such key can
 *            be reported absent, no other.  Counters: it lowers counters of other keys, which
 *            queries can report absent from then on.
 *    Twice   If two threads at once remove a key that was put once, tags: as above.  Counters: one
 *            succeeds (both, if the key is a false positive without that put).  The other is
 *            refused, and restores what it had already subtracted.  Until then, keys that share
 *            those counters can be missing; permanently, if that thread stops before and never runs
 *            again.
 * 7. Progress  might_contain is wait-free; put, put_all and remove are lock-free.  They retry only
 *            because another thread changed the same word, or tags a word of the same lines.  After
 *            a thread's first call none of them allocates, locks or enters the kernel.
 * 8. Stopped  A thread that stops inside a put or a removal, and never runs again, blocks no other
 *            thread.  It leaves at most a tag too many, or counters too high (except for 6).
 * 9. Order   As lfbloom/filter.h, 7.  A query that returns true does not make another thread's
 *            earlier writes visible.
 *
 * Files, copies  lfb_any_save() keeps how often each key is present, in a form of its own
 *            (docs/formats.md); in what is read or copied, keys can be removed as often as before.
 *            A key that is present from before the call until it returns is present in what is
 *            written, and can be removed from it.  For each put, removal or move of another thread
 *            during the call, what is written may hold a copy too many, or counters that are too
 *            high, permanently; a removal of such a key there is against the rule.  To write
 *            exactly the keys that are present, write while nothing else runs.  With
 *            lfb_read_limits.open_damaged, counters that do not match their checksum are all stuck
 *            at 15: no key is lost; lfb_damage.bits_missing is 0.  Damaged tags cannot be opened
 *            (LFB_ERROR_BAD_CHECKSUM).
 * Plain      lfb_any_to_plain() makes the plain filter of the keys that are present.  It equals a
 *            filter of the same strategy, size and hash into which only the remaining keys were
 *            put, plus the bits of stuck counters.  It is independent, and no key can be removed
 *            from it.  Of tags: LFB_ERROR_TAGS.
 *
 * Which calls may run at once: any two, except that free runs alone.
 *
 * Source: Fan, Cao, Almeida and Broder, "Summary Cache", 2000: counters of 4 bits that stay at
 * their maximum.  Tags in one of two lines: Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo
 * Filter", 2014, with moves that are only forward.
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
 * Takes  config  as lfb_filter_create(); `copies`: how often one key may be present at once.
 * Fails  as lfb_filter_create(); tags: LFB_ERROR_FPP_TOO_LOW below 7e-9, _TOO_MANY_COPIES.
 * Owner  the caller, until lfb_counting_free().
 */
LFB_CHECKED lfb_status lfb_counting_create(const lfb_config *config, lfb_counting **counting);

/* Frees a counting filter that no call is using.  NULL is ignored. */
LFB_API void lfb_counting_free(lfb_counting *counting);

/*
 * Puts a key of `size` bytes.
 *
 * Returns whether the key is present once more, and may be removed once more.  false: the filter
 *         is full (Guarantees, 5); only with strategy `tags`.
 */
LFB_CHECKED bool lfb_counting_put(lfb_counting *counting, const void *bytes, size_t size);

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

/* As lfb_counting_put(), _might_contain() and _remove(), for a 64-bit key. */
LFB_CHECKED bool lfb_counting_put_u64(lfb_counting *counting, uint64_t key);
LFB_API bool lfb_counting_might_contain_u64(const lfb_counting *counting, uint64_t key);
LFB_API bool lfb_counting_remove_u64(lfb_counting *counting, uint64_t key);

/*
 * Adds all keys of `from` to `into`: each key is then present as often as in both together, and
 * may be removed as often.  Counters with a sum of 15 or more are stuck.  Each call adds them
 * again.
 *
 * During    If other threads put keys into `from` or remove keys from it during the call, `into`
 *           may get copies or counters that no removal takes back: too many, never too few.
 * Fails     LFB_ERROR_SAME_FILTER, _PROBES_DIFFER, _PROBES_DIFFER_BY_FORMULA,
 *           _BIT_COUNT_DIFFERS, _STRATEGY_DIFFERS, _HASH_DIFFERS, as lfb_filter_put_all() does:
 *           `into` is unchanged.  With the default hash, each new filter has another key: make the
 *           second from lfb_any_copy() of the first, or give both one key.
 *           Tags: LFB_ERROR_FULL.  If both together hold more than `into` was made for, it is
 *           unchanged.  Else, which is rare, it has some of the copies: too many of some keys.
 * Progress  lock-free, as put.
 */
LFB_CHECKED lfb_status lfb_counting_put_all(lfb_counting *into, const lfb_counting *from);

/*
 * Writes the figures now.
 *
 * Tags      `copies` are stored in `slots`, `puts_refused` is since the filter was made or read.
 *           approximate_count is `copies`, bits_set T for each, and expected_fpp
 *           2 * (slots of a line) * copies / slots / (2^T - 1).
 * Counters  As lfb_filter_stats() would write them for the plain filter to which it converts,
 *           except that `bytes` is the size of the counters; `counters_stuck` are stuck.
 * Exact     copies and bits_set, and the figures computed from them, while no put or removal is
 *           running.  While some are, they may differ by what these change during the call.
 */
LFB_API void lfb_counting_stats(const lfb_counting *counting, lfb_stats *stats);

LFB_EXTERN_C_END

#endif
