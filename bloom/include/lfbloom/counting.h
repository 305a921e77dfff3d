/*
 * lfbloom/counting.h - a Bloom filter from which keys can be removed again.
 *
 * Guarantees 4, 5, 8, 9, 11, 12, 17, 19 of docs/guarantees.md.
 *
 * In the place of each bit of a filter of the same configuration stands a counter of 4
 * bits: how many keys have it.  A put adds 1 to each of its key's counters, a removal
 * subtracts 1; the key may be in if none of them is 0.
 *
 * Not for you  if keys go all together (a new filter is cheaper), if nothing is ever removed
 *            (four times the memory, for nothing), or if the same key is put again and
 *            again without being removed: from 15 on its counters are stuck.  Nor if who
 *            removes cannot be sure that the key was put: see the rule.
 *
 * 1. Rule    Remove a key at most as often as it was put, and only after: each removal
 *            has a put of its own, of the same key by the same kind of call, that returned
 *            before the removal began, in the happens-before sense.  Everything else may
 *            run at once: other keys, and puts and removals of the same one.
 * 2. Found   While all callers keep the rule, a key is found from the return of a put of it
 *            to the beginning of that put's removal, whatever other threads put and remove
 *            meanwhile.  For a counter that never reached 15 has as many subtracted from it
 *            as removals have come to it, and each of these has added 1 to it before, by
 *            its put; so what is left counts the puts that no removal has come to: our
 *            key's is one of them.  Who began to put and has not returned, or began to
 *            remove, only makes counters higher than they will be.  A counter that is
 *            stuck at 15 is never 0.
 *            (In order: a put's compare-and-exchange of a word happens before its removal's
 *            of the same word, so it comes first in the order in which that word changes.)
 * 3. Removed  After a removal the key is surely absent again, unless it was put more often
 *            or other keys have all its counters: exactly then a filter of the keys that
 *            are left would say "maybe" too (but for counters that are stuck).
 * 4. Once    Two of a key's bits that are the same one are one counter, raised and lowered
 *            by 1: put and removal always agree.
 * 5. Stuck   A counter that reaches 15 stays there, and its bit on, for ever: stats counts
 *            them.  Made for an fpp of at most 0.5, with its n keys in, each put once,
 *            a counter has less than one chance in 1e9 to be there (but of go-fnv14,
 *            whose size does not follow n).
 * 6. Broken  What a removal against the rule does.  A key that is surely absent is refused:
 *            nothing is changed.  A false positive, which was never put, lowers counters
 *            of other keys: these may be missing from then on, for ever.  Of two threads that
 *            at once remove a key that was put once, one alone does, unless the key is a false
 *            positive without it: the other is refused, and gives back what it had
 *            already subtracted; until it has, keys that share those counters may be
 *            missing, and for ever if it is stopped for ever before.
 * 7. Progress  might_contain is wait-free; put, put_all and remove are lock-free: they retry only
 *            because another thread changed a counter of the same word.  After a thread's
 *            first, none of them allocates, locks or enters the kernel.
 * 8. Stopped  A thread that is stopped for ever inside a put or a removal stops nobody, and
 *            leaves counters at most higher than they should be (but for 6).
 * 9. Order   As lfbloom/filter.h, 7: counters are relaxed.  "Maybe in" is no message.
 *
 * Memory     A word of 64 bits holds the counters of 16 of a plain filter's bits.  With
 *            fast all counters of a key are in 4 lines next to each other, and it touches
 *            as many of them as it has words (words_per_key of stats: 2 at 1 %, 4 at
 *            0.1 %, never more than 4); with sbbf in 2.  With the other strategies they
 *            are in one line each, as their bits are.
 * Threads    Any function beside any other, but free and set_label, which run alone.
 *
 * Source: Fan, Cao, Almeida and Broder, "Summary Cache", 2000: counters of 4 bits that
 * stay when they are full.
 */
#ifndef LFBLOOM_COUNTING_H
#define LFBLOOM_COUNTING_H

#include <lfbloom/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A concurrent counting Bloom filter. */
typedef struct lfb_counting lfb_counting;

/*
 * Makes an empty one: config is as for lfb_filter_create(), of which batch_memory is not
 * used.  Fails as lfb_filter_create().  Owner: the caller, until lfb_counting_free().
 */
LFB_API lfb_status lfb_counting_create(const lfb_config *config, lfb_counting **counting);

/* Frees one that no call is using; NULL is ignored. */
LFB_API void lfb_counting_free(lfb_counting *counting);

/*
 * Puts a key of `size` bytes.
 *
 * Returns whether a counter was 0 before: false says that the key, or others with the same
 *         counters, were in.  Either way it is in once more, and may be removed once more.
 */
LFB_API bool lfb_counting_put(lfb_counting *counting, const void *bytes, size_t size);

/* Whether the key may be in; false is certain. */
LFB_API bool lfb_counting_might_contain(const lfb_counting *counting, const void *bytes,
                                        size_t size);

/*
 * Takes back one put of the key.
 *
 * Returns whether it did; false: the key was surely absent, or another removal took
 *         back the last put meanwhile; nothing is changed.
 */
LFB_API bool lfb_counting_remove(lfb_counting *counting, const void *bytes, size_t size);

/* The same for the other kinds of keys, as lfbloom/filter.h says of each. */
LFB_API bool lfb_counting_put_u64(lfb_counting *counting, uint64_t key);
LFB_API bool lfb_counting_might_contain_u64(const lfb_counting *counting, uint64_t key);
LFB_API bool lfb_counting_remove_u64(lfb_counting *counting, uint64_t key);
LFB_API bool lfb_counting_put_hash(lfb_counting *counting, uint64_t hash);
LFB_API bool lfb_counting_might_contain_hash(const lfb_counting *counting, uint64_t hash);
LFB_API bool lfb_counting_remove_hash(lfb_counting *counting, uint64_t hash);
LFB_API bool lfb_counting_put_object(lfb_counting *counting, lfb_funnel funnel,
                                     const void *object);
LFB_API bool lfb_counting_might_contain_object(const lfb_counting *counting, lfb_funnel funnel,
                                               const void *object);
LFB_API bool lfb_counting_remove_object(lfb_counting *counting, lfb_funnel funnel,
                                        const void *object);

/*
 * Many keys at a time: the same as one after another, in fewer cache misses' time.
 *
 * Takes   keys     `count` of them.
 *         answers  NULL, or (count + 63) / 64 words that receive answer i in bit i % 64 of
 *                  word i / 64; bits beyond the last answer are 0.
 * Returns how many answers are true.
 */
LFB_API size_t lfb_counting_put_many(lfb_counting *counting, const lfb_key *keys, size_t count,
                                     uint64_t *answers);
LFB_API size_t lfb_counting_might_contain_many(const lfb_counting *counting, const lfb_key *keys,
                                               size_t count, uint64_t *answers);
LFB_API size_t lfb_counting_remove_many(lfb_counting *counting, const lfb_key *keys,
                                        size_t count, uint64_t *answers);
LFB_API size_t lfb_counting_put_many_u64(lfb_counting *counting, const uint64_t *keys,
                                         size_t count, uint64_t *answers);
LFB_API size_t lfb_counting_might_contain_many_u64(const lfb_counting *counting,
                                                   const uint64_t *keys, size_t count,
                                                   uint64_t *answers);
LFB_API size_t lfb_counting_remove_many_u64(lfb_counting *counting, const uint64_t *keys,
                                            size_t count, uint64_t *answers);
LFB_API size_t lfb_counting_put_many_hash(lfb_counting *counting, const uint64_t *hashes,
                                          size_t count, uint64_t *answers);
LFB_API size_t lfb_counting_might_contain_many_hash(const lfb_counting *counting,
                                                    const uint64_t *hashes, size_t count,
                                                    uint64_t *answers);
LFB_API size_t lfb_counting_remove_many_hash(lfb_counting *counting, const uint64_t *hashes,
                                             size_t count, uint64_t *answers);

/*
 * Adds to one all that is in another: each key is in as often as in both together, and may be
 * removed as often.  Counters whose sum would be above 15 are stuck.  Of keys that others put
 * into `from` or remove from it meanwhile, counters may be added that no removal takes back:
 * too high, never too low.  They fit as two plain filters do (lfb_filter_put_all()).
 *
 * Fails     LFB_ERROR_SAME_FILTER, _PROBES_DIFFER, _PROBES_DIFFER_BY_FORMULA,
 *           _BIT_COUNT_DIFFERS, _STRATEGY_DIFFERS, _HASH_DIFFERS: `into` is as it was.
 * Progress  lock-free, as put.
 */
LFB_API lfb_status lfb_counting_put_all(lfb_counting *into, const lfb_counting *from);

/*
 * Copies one: its counters, stuck ones too, its label.  Keys that others put or remove
 * meanwhile: as lfb_counting_put_all().
 *
 * Fails  LFB_ERROR_NO_MEMORY.   Owner  the caller, until lfb_counting_free().
 */
LFB_API lfb_status lfb_counting_copy(const lfb_counting *counting, lfb_counting **copy);

/* A label of the caller's own, as lfb_filter_set_label() and lfb_filter_label() of a plain
 * one; it goes along into copies, files and the plain filter. */
LFB_API lfb_status lfb_counting_set_label(lfb_counting *counting, const char *label);
LFB_API const char *lfb_counting_label(const lfb_counting *counting);

/*
 * The figures now, as lfb_filter_stats() would give them of the plain filter that it
 * converts to, but: bytes are those of the counters; counters_stuck is how many are.
 * bits_set, and what follows from it, is exact while no put or removal is running; beside those
 * that run it may be off by as many bits as they change during the call.
 */
LFB_API void lfb_counting_stats(const lfb_counting *counting, lfb_stats *stats);

/*
 * Makes the plain filter of the keys that are in: it has the bits whose counters are not 0,
 * those of a filter of the same strategy, size and seed into which just the keys that are
 * left were put (and those of stuck counters), and is an ordinary filter from then on.
 * Keys that others put or remove meanwhile are in it or not.
 *
 * No key can be removed from it any more; a file that is to keep the counts is one by
 * lfb_counting_save().
 *
 * Fails  LFB_ERROR_NO_MEMORY, _SIZE_OVERFLOW.  Owner  the caller, until lfb_filter_free().
 */
LFB_API lfb_status lfb_counting_to_filter(const lfb_counting *counting, lfb_filter **filter);

/*
 * Writes a counting filter, counts and label too, in a form of its own (docs/formats.md): a
 * header, the counters, a checksum for each MiB of them.
 *
 * While others put and remove: whatever is in from before the call until it returns is in what
 * is written.  A key that is put or removed meanwhile is there with some of its counters:
 * never too few for another key, but they may stay too high in what is read, and a removal of
 * it there is against the rule.  Write while nothing else runs to have just what is in.
 *
 * Takes, Fails  as lfb_filter_write(), forms apart.
 */
LFB_API lfb_status lfb_counting_write(const lfb_counting *counting, lfb_write_fn write, void *to);

/*
 * Reads one; keys that were in it can be removed as often as before, and what is stuck is
 * stuck.
 *
 * Takes   limits  as lfb_filter_read() does; max_bytes is that of the counters.  With
 *                 open_damaged, counters that do not match their checksum are all stuck at 15:
 *                 no key is lost.
 * Damage  as lfb_filter_read(), but for bits_missing, which is 0.
 * Fails   as lfb_filter_read(), and LFB_ERROR_NOT_COUNTING: it is a plain filter; _GROWING.
 *         lfb_filter_read() and lfb_growing_read() say of this form LFB_ERROR_COUNTING.
 * Owner   the caller, until lfb_counting_free().
 */
LFB_API lfb_status lfb_counting_read(lfb_read_fn read, void *from, const lfb_read_limits *limits,
                                     lfb_counting **counting);

/* The same to and from a file, which holds it and nothing else: as lfb_filter_save(), atomic
 * and durable, and lfb_filter_load(). */
LFB_API lfb_status lfb_counting_save(const lfb_counting *counting, const char *path);
LFB_API lfb_status lfb_counting_load(const char *path, const lfb_read_limits *limits,
                                     lfb_counting **counting);

#ifdef __cplusplus
}
#endif

#endif
