/*
 * lfbloom/growing.h - a filter for keys of which nobody knows how many will come.
 *
 * Guarantees 1, 2, 3, 4, 5, 6, 9, 11, 12, 16, 19 of docs/guarantees.md.
 *
 * It is a row of plain filters, its layers, at most LFB_GROWING_LAYERS.  Each is made for
 * twice the keys of the one before, with a tighter fpp; keys go into the newest, and when
 * that is full the next is added.  A key is in if it is in any layer.
 *
 * Bound      Layer i, from 0 on, has p_i = p * 3 / ((i + 3) * (i + 4)) of the p that was
 *            asked for: the first L of them together p * L / (L + 3), below p for ever.  A
 *            layer is full when its strategy says of the bits set in it that a wrong
 *            "maybe" comes with p_i, less 1/64 of those bits, which is what threads may
 *            put before one of them notices.  So the whole is wrong with less than p
 *            whatever is put, as long as layers can be added; if not, lfb_growing_stats()
 *            says so.
 * Price      Against a plain filter for the same number of keys, when its newest layer is
 *            full: 1.3 times the memory with one layer, 1.8 with 7, 2.3 with 20 (fast,
 *            p = 0.01; 1.2, 1.5 and 1.8 at p = 0.0001), twice as much while the newest is
 *            still empty.  A series that halves p with each layer takes less up to 3
 *            layers, 2.1 times with 7, and 5.9 with 20.  A query of a key that is not in
 *            asks every layer, largest first.
 * 1. Found   As lfbloom/filter.h: if put(x) or claim(x) returned before might_contain(x)
 *            began, it answers true.  Layers are only added, and a new one can be seen only
 *            when it is whole, with all older ones behind it.
 * 2. Changed put returns true if and only if it turned on at least one bit: false if an
 *            older layer has the key, or the newest had all of its bits.  Of two racing puts
 *            of one new key both can be true, and both be put, when a layer is added in
 *            between; never is it neither.
 *            claim is decided as in a plain filter, in one table for all layers, and looks
 *            at all of them: of all claims of one key at most one returns true, whatever
 *            layers they see as the newest; exactly one, unless the key was a false positive
 *            or came in by a put.  (bloom/kinds/layers.h argues it.)
 * 3. Progress  Queries are wait-free, in at most LFB_GROWING_LAYERS steps.  put and claim
 *            are lock-free as those of a plain filter, as far as the allocator and the kernel
 *            are: a thread that finds the newest layer full allocates the next one.  Every
 *            thread that finds it full does so; one CAS succeeds, the others free theirs and
 *            go on.  No thread waits for another.
 * 4. No memory  Where the next layer cannot be made, puts go on into the full one: no key
 *            is lost, the fpp rises.  For want of memory, or of room for a file, it is tried
 *            again as more is put, though not at each put: once there are 1/256 more bits
 *            set, or 1/256 of those that are not set where these are fewer.
 * 5. Count   The figures of lfb_growing_stats() are exact whenever no put or claim is
 *            running.
 *
 * Threads    As the table in lfbloom/filter.h has it.
 * Stack      16 KiB, as lfbloom/filter.h says; 32 KiB for create and for a put or claim that
 *            adds a layer, which any put or claim may do.
 * Signals    A query may be called in a signal handler, but for a filter in a file: there it
 *            may have to map a new layer.  put and claim may not: they may allocate a layer.
 * fork, Threads beyond  As lfbloom/filter.h.
 * Elsewhere  In files that processes share: lfbloom/growing_mapped.h.
 * Not here   A growing filter has no inline way and no big batches (config.batch_memory is not
 *            looked at).  It does not merge with another, plain or growing: layers for
 *            different numbers of keys have no bits in common.
 */
#ifndef LFBLOOM_GROWING_H
#define LFBLOOM_GROWING_H

#include <lfbloom/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A concurrent Bloom filter that grows. */
typedef struct lfb_growing lfb_growing;

enum {
  LFB_GROWING_LAYERS = 64,  /* the most there are           */
  LFB_GROWING_LEAST = 1024, /* keys of the first one, at least */
};

/* A growing filter's figures, of all layers together. */
typedef struct lfb_growing_figures {
  lfb_strategy_id strategy;   /* of all layers                                         */
  uint64_t first_insertions;  /* n of the first layer                                  */
  double fpp;                 /* p of the whole                                        */
  uint32_t layers;            /* 1 to LFB_GROWING_LAYERS                               */
  lfb_hash_id hash;           /* LFB_HASH_DEFAULT: the strategy has no choice          */
  uint64_t seed;              /* of all layers' hash                                   */
  uint64_t bit_count;         /* m, in bits                                            */
  uint64_t bytes;             /* of the words that hold the bits                       */
  uint64_t bits_set;          /* exact while no put or claim is running                */
  uint64_t approximate_count; /* distinct elements put, estimated; UINT64_MAX where a
                                 layer is saturated                                    */
  double expected_fpp;        /* probability of a wrong "maybe" now                    */
  lfb_status stuck;           /* LFB_OK, or why the newest layer, which is full, is still
                                 the newest: as lfb_filter_create() fails, or
                                 LFB_ERROR_TOO_MANY_LAYERS; in mapped files also why one
                                 that another process added cannot be looked at        */
  uint64_t written;           /* as in lfb_stats                                       */
  double bits_set_age;        /* as in lfb_stats: the oldest layer's                   */
} lfb_growing_figures;

/*
 * Makes an empty growing filter of one layer.
 *
 * Takes  config  as lfb_filter_create(), but for: expected_insertions, a first guess, below
 *                LFB_GROWING_LEAST counts as that; fpp, that of the whole for ever;
 *                lazy_memory, of the first layer: later ones always are, so that only who
 *                puts into them waits for their pages.
 * Fails  as lfb_filter_create(), and LFB_ERROR_CANNOT_GROW: go-fnv14 has one size only.
 * Owner  the caller, until lfb_growing_free().
 */
LFB_API lfb_status lfb_growing_create(const lfb_config *config, lfb_growing **growing);

/* Frees a growing filter that no call is using; NULL is ignored. */
LFB_API void lfb_growing_free(lfb_growing *growing);

/* Each as the function of lfb_filter that has its name. */
LFB_API bool lfb_growing_put(lfb_growing *growing, const void *bytes, size_t size);
LFB_API bool lfb_growing_might_contain(const lfb_growing *growing, const void *bytes,
                                       size_t size);
LFB_API bool lfb_growing_claim(lfb_growing *growing, const void *bytes, size_t size);
LFB_API bool lfb_growing_put_u64(lfb_growing *growing, uint64_t key);
LFB_API bool lfb_growing_might_contain_u64(const lfb_growing *growing, uint64_t key);
LFB_API bool lfb_growing_claim_u64(lfb_growing *growing, uint64_t key);
LFB_API bool lfb_growing_put_hash(lfb_growing *growing, uint64_t hash);
LFB_API bool lfb_growing_might_contain_hash(const lfb_growing *growing, uint64_t hash);
LFB_API bool lfb_growing_claim_hash(lfb_growing *growing, uint64_t hash);
LFB_API bool lfb_growing_put_object(lfb_growing *growing, lfb_funnel funnel, const void *object);
LFB_API bool lfb_growing_might_contain_object(const lfb_growing *growing, lfb_funnel funnel,
                                              const void *object);
LFB_API bool lfb_growing_claim_object(lfb_growing *growing, lfb_funnel funnel,
                                      const void *object);

/* The same many at a time. */
LFB_API size_t lfb_growing_put_many(lfb_growing *growing, const lfb_key *keys, size_t count,
                                    uint64_t *answers);
LFB_API size_t lfb_growing_might_contain_many(const lfb_growing *growing, const lfb_key *keys,
                                              size_t count, uint64_t *answers);
LFB_API size_t lfb_growing_claim_many(lfb_growing *growing, const lfb_key *keys, size_t count,
                                      uint64_t *answers);
LFB_API size_t lfb_growing_put_many_u64(lfb_growing *growing, const uint64_t *keys,
                                        size_t count, uint64_t *answers);
LFB_API size_t lfb_growing_might_contain_many_u64(const lfb_growing *growing,
                                                  const uint64_t *keys, size_t count,
                                                  uint64_t *answers);
LFB_API size_t lfb_growing_claim_many_u64(lfb_growing *growing, const uint64_t *keys,
                                          size_t count, uint64_t *answers);
LFB_API size_t lfb_growing_put_many_hash(lfb_growing *growing, const uint64_t *hashes,
                                         size_t count, uint64_t *answers);
LFB_API size_t lfb_growing_might_contain_many_hash(const lfb_growing *growing,
                                                   const uint64_t *hashes, size_t count,
                                                   uint64_t *answers);
LFB_API size_t lfb_growing_claim_many_hash(lfb_growing *growing, const uint64_t *hashes,
                                           size_t count, uint64_t *answers);

/* Copies the layers that there are now, as lfb_filter_copy() does each: the copy has what was
 * put before, grows on by itself, and has its label.  Fails: LFB_ERROR_NO_MEMORY; of mapped files
 * also as lfb_growing_stats() says in `stuck`. */
LFB_API lfb_status lfb_growing_copy(const lfb_growing *growing, lfb_growing **copy);

/* The figures now.  Wait-free. */
LFB_API void lfb_growing_stats(const lfb_growing *growing, lfb_growing_figures *stats);

/* The same for a caller that asks often, as lfb_filter_stats_recent() of each layer. */
LFB_API void lfb_growing_stats_recent(const lfb_growing *growing, lfb_growing_figures *stats);

/* The label of the whole: as lfb_filter_set_label() and lfb_filter_label(). */
LFB_API lfb_status lfb_growing_set_label(lfb_growing *growing, const char *label);
LFB_API const char *lfb_growing_label(const lfb_growing *growing);

/*
 * Writes a growing filter, in a form of its own: a header, then each layer in the native
 * form (docs/formats.md).  What was put before the call is in it, and some of what is put
 * meanwhile, none of it in layers that are added meanwhile.
 *
 * Takes, Fails  as lfb_filter_write(), forms apart.
 */
LFB_API lfb_status lfb_growing_write(const lfb_growing *growing, lfb_write_fn write, void *to);

/*
 * Reads one; it grows on as it would have.
 *
 * Takes  limits  as lfb_filter_read() does, of all layers together; the offsets of damage
 *                are those in the whole.
 * Fails  as lfb_filter_read(), and LFB_ERROR_NOT_GROWING: it is a plain filter.
 * Owner  the caller, until lfb_growing_free().
 */
LFB_API lfb_status lfb_growing_read(lfb_read_fn read, void *from, const lfb_read_limits *limits,
                                    lfb_growing **growing);

/* The same to and from a file, which holds it and nothing else: as lfb_filter_save(), atomic
 * and durable, and lfb_filter_load(). */
LFB_API lfb_status lfb_growing_save(const lfb_growing *growing, const char *path);
LFB_API lfb_status lfb_growing_load(const char *path, const lfb_read_limits *limits,
                                    lfb_growing **growing);

#ifdef __cplusplus
}
#endif

#endif
