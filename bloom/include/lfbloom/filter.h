/*
 * lfbloom/filter.h - a Bloom filter that any number of threads insert into and
 * query at once.
 *
 * Guarantees 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 19 of docs/guarantees.md.
 *
 * A filter answers "surely not in" or "maybe in", and "maybe" wrongly with
 * about the probability it was made for once its expected insertions are in.
 *
 * 1. Found      If put(x) or claim(x) returned before might_contain(x) began, in the
 *               happens-before sense, the answer is true; across put_all, copy,
 *               write and read too.
 * 2. Changed    put returns true if and only if it turned on at least one bit.
 *               Of two racing puts of one new key both can be true, or both
 *               together turn on its bits: never is it neither.
 *               claim is the stronger operation: of all claims of one key, at once
 *               or not, at most one returns true; exactly one, unless the key was a
 *               false positive at that time, came in by a put, or the winner was killed
 *               before its claim returned.
 * 3. Progress   Queries are wait-free.  put, claim and put_all are lock-free, for any number
 *               of threads, processes and signal handlers.  A put retries only because
 *               another thread turned on a bit of the same word, at most 64 times a word.  A
 *               claim retries only because another claim has won or was completed; it
 *               completes each claim that it meets.  Strategy guava-mitz64 on a machine
 *               without a 16-byte compare-and-exchange is an exception: its claims take a
 *               lock, one for each of 256 parts of the keys.
 *               After a thread's first call, none of them allocates, locks or enters the
 *               kernel.  Two exceptions: with lazy_memory the first touch of a page enters
 *               the kernel; for a big batch put_many may allocate.
 * 4. Stopped    A thread that is stopped for ever, at any instruction, stops no other thread.
 *               If a claim of it had won, the next claim that needs the same place completes
 *               it, and no other claim of that key wins: no caller is told then.  (A claim that
 *               takes a lock, see 3, waits for a thread that is stopped inside that lock.)
 * 5. Count      bits_set is exact whenever no put or claim is running, and never
 *               above the truth while some are.  The bits of a filter in a file
 *               (lfbloom/mapped.h) are counted when lfb_filter_stats() is called.
 * 6. Quiet      A put or claim of a key that is already present writes to no memory that
 *               other threads read (a big batch: only to where its memory is kept).  A query
 *               never writes.
 * 7. Not a      Bits are set and read relaxed, and all bits of x may have come
 *    message    from other keys: "maybe in" never means that what another
 *               thread wrote before its put(x) is visible.  Bring that order
 *               along (join, queue, release store).
 *
 * Signals       put, query and claim may be called in a signal handler, also in one that
 *               interrupts a put or claim of the same thread.  Three calls may not: a thread's
 *               first call of any of them, a put_many of a big batch, and a claim that takes a
 *               lock (see 3).
 * fork          A child may go on with a filter in private memory, in its own copy.  If other
 *               threads of the parent were putting at the fork, the child may count too few
 *               bits for good, by what these threads were about to count.  A key that one of
 *               them was claiming may be present in the child without a winner there.  In
 *               files nothing of this happens (lfbloom/mapped.h).
 * Threads       The first 64 threads of a process, or as many as there are processors if that
 *    beyond     is more, add to counters of their own: 0.3 ns per put of a new key.  Further
 *               threads add to shared counters by one locked operation: 3 to 7 ns.  Nothing
 *               else differs.  A thread that ends leaves its counters to the next new thread.
 *
 * Threads: which calls may run at once on one filter
 *
 *               | put.. | might_contain.. | put_all from | copy, write, stats | free
 *   put..       |  yes  |      yes        |     yes      |       yes          |  no
 *   put_all into|  yes  |      yes        |     yes      |       yes          |  no
 *   free        |  no   |      no         |      no      |        no          |  no
 *   set_label   |  yes  |      yes        |     yes      |   stats alone      |  no
 *
 *               Where it says put.., it says claim.. as well.
 *
 * Stack         A call needs at most 16 KiB of its thread's stack.  A call that sizes a filter
 *               needs at most 32 KiB: each create, lfb_config_plan(), lfb_config_fpp_after(),
 *               lfb_versions_begin_rebuild(), lfb_follow_create(), lfb_follow_poll(), and a
 *               put or claim that adds a layer to a growing filter.
 *               The C library's share is in these figures; they hold for a library that is
 *               compiled with optimisation (-O2).  Stack that the caller's own functions need
 *               (lfb_write_fn, lfb_read_fn, funnels, sources) comes on top.
 *
 * A filter must be handed from the thread that made it to others by something
 * that orders memory, as any pointer must.  Allocation uses the C library.
 */
#ifndef LFBLOOM_FILTER_H
#define LFBLOOM_FILTER_H

#include <lfbloom/sink.h>
#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A concurrent Bloom filter. */
typedef struct lfb_filter lfb_filter;

/* How an element becomes bits. */
typedef enum lfb_strategy_id {
  LFB_FAST = 0,         /* one cache line a key (lfbloom/fast.h): the default    */
  LFB_GUAVA_MITZ32 = 1, /* Guava's MURMUR128_MITZ_32, bit for bit                */
  LFB_GUAVA_MITZ64 = 2, /* Guava's MURMUR128_MITZ_64, bit for bit                */
  LFB_SBBF = 3,         /* Parquet's split-block filter, bit for bit             */
  LFB_JAVA_DOUBLE = 4,  /* h1 + i*h2 in Java ints over two murmur3_32 seeds      */
  LFB_GO_FNV14 = 5,     /* 14 fixed seeds over FNV-1a 32; always 2^25 bits       */
  LFB_REDIS_MITZ32 = 6, /* MITZ_32 with modulus m, as a Java helper over Redis   */
  LFB_FAST_PAIR = 7,    /* two words a key, all bits at once: every put is a claim */
} lfb_strategy_id;

/* Guava changed how many probes it takes; filters of both kinds are about. */
typedef enum lfb_probes_formula {
  LFB_PROBES_GUAVA_31 = 0,      /* max(1, round(m / n * ln 2)), up to Guava 31.1 */
  LFB_PROBES_GUAVA_CURRENT = 1, /* max(1, round(-ln p / ln 2))                   */
} lfb_probes_formula;

/*
 * How a key's bytes become its hash, where the strategy leaves the choice (fast).
 *
 * Against whom  XXH3's random seed keeps out who chooses keys and learns no answer: his are
 *               then as good as any.  It keeps out nobody who also puts keys and sees answers,
 *               or how long they take: a million of both tell him the seed (docs/verify.md,
 *               "Chosen keys"), and then all keys that he likes are "maybe in".  SipHash-1-3
 *               keeps out both.  Strategies without a choice keep out nobody.
 */
typedef enum lfb_hash_id {
  LFB_HASH_DEFAULT = 0,   /* the strategy's own; for fast, LFB_HASH_XXH3             */
  LFB_HASH_XXH3 = 1,      /* XXH3, 64 bits, with a seed; integers by a seeded mixer  */
  LFB_HASH_SIPHASH13 = 2, /* SipHash-1-3 with a 128-bit key: for keys that an
                             attacker chooses and answers that he sees               */
} lfb_hash_id;

/* What `fast` does with the choice between memory and cache traffic. */
typedef enum lfb_memory_preference {
  LFB_MEMORY_BALANCED = 0, /* fewest words a key within 5 %, and a line, of the smallest */
  LFB_MEMORY_SPEED = 1,    /* .. within 25 %, and a line                                 */
  LFB_MEMORY_SMALLEST = 2, /* the smallest size                                          */
} lfb_memory_preference;

/* What a filter is to be.  All zero is the default, but fpp must be set.  (C++ warns of
 * fields that {.fpp = 0.01} leaves out: lfb_config config = {}; config.fpp = 0.01;) */
typedef struct lfb_config {
  uint64_t expected_insertions; /* n, in distinct elements; 0 counts as 1           */
  double fpp;                   /* p, 0 < fpp < 1, once n elements are in           */
  lfb_strategy_id strategy;     /* how a key becomes bits                           */
  lfb_probes_formula probes_formula; /* of the Guava strategies and java-double     */
  lfb_hash_id hash; /* of the strategies that leave the choice                      */
  uint64_t seed;    /* fast: of the hash, 0 for a random one, which is no secret from who
                       sees answers (lfb_hash_id); java-double: its first
                       seed in the low, its second in the high 32 bits, 0 for seeds
                       0 and 1; others have none: must be 0                         */
  uint8_t key[16];  /* of a keyed hash; else must be 0.  All 0 for a random one,
                       which nobody learns: a file of such a filter never opens,
                       but with keep_key                                            */
  bool keep_key;    /* write the key, if there is one, into files: whoever can read
                       one can open it, and choose keys that all hit.  Such a file is
                       readable by its owner alone: its mode is at most 0600        */
  lfb_memory_preference memory_preference; /* of the strategies that have the choice */
  uint64_t batch_memory; /* bytes that one call of put_many may take for a big batch (see
                            there); 0 for 64 MiB, 1 for no big batches          */
  bool lazy_memory; /* leave it to the first touch to back a page with memory       */
  uint32_t file_mode; /* permissions of a new file that processes share (lfbloom/mapped.h),
                         less the umask; 0 for 0600.  With keep_key at most 0600    */
} lfb_config;

/* Which serialised form a filter came from, or is to be written in. */
typedef enum lfb_form {
  LFB_FORM_NONE = 0,  /* made in memory                          */
  LFB_FORM_GUAVA = 1, /* what Guava's BloomFilter.writeTo writes */
  LFB_FORM_NATIVE = 2, /* this library's own: any strategy, described and checksummed
                          (docs/formats.md); keys of keyed hashes with keep_key */
  LFB_FORM_SBBF = 3,   /* what Parquet files hold: header and bitset of strategy sbbf */
  LFB_FORM_MAPPED = 4, /* what several processes map at once (lfbloom/mapped.h); any
                          strategy, without checksums of the words */
} lfb_form;

/* A filter's figures. */
typedef struct lfb_stats {
  lfb_strategy_id strategy;     /* that it was made with                            */
  lfb_form form;                /* that it was read from                            */
  uint64_t expected_insertions; /* n; 0 where the form did not say                  */
  double fpp;                   /* p; 0 where the form did not say                  */
  uint64_t bit_count;           /* m, in bits                                       */
  uint64_t reachable_bits;      /* below bit_count where the strategy's arithmetic
                                   is too narrow for so large a filter              */
  uint32_t probes;              /* k                                                */
  uint32_t words_per_key;       /* of one cache line: w of fast, 4 of sbbf; 0: k
                                   anywhere                                         */
  lfb_hash_id hash;             /* LFB_HASH_DEFAULT: the strategy has no choice     */
  bool key_kept;                /* the key of a keyed hash goes into files          */
  uint64_t seed;                /* that makes another filter's hash the same        */
  uint64_t bytes;               /* of the words that hold the bits                  */
  uint64_t bits_set;            /* exact while no put is running                    */
  double bits_set_age;          /* seconds since that was counted; 0 but from
                                   lfb_filter_stats_recent()                        */
  bool saturated;               /* every reachable bit is: every answer is "maybe"  */
  uint64_t approximate_count;   /* distinct elements put, estimated from bits_set;
                                   UINT64_MAX when saturated                        */
  double expected_fpp;          /* probability of a wrong "maybe" now               */
  uint64_t written;             /* when, in seconds since 1970, it was written to where it
                                   was read from; 0 where the form did not say      */
  uint64_t counters_stuck;      /* for ever at 15 (lfbloom/counting.h); 0: a plain filter */
} lfb_stats;

/*
 * Makes an empty filter.
 *
 * Fails  LFB_ERROR_FPP_TOO_LOW, _FPP_TOO_HIGH (also for NaN: too low), _NO_BITS,
 *        _TOO_MANY_PROBES, _TOO_MANY_BITS, _UNKNOWN_STRATEGY, _UNKNOWN_FORMULA,
 *        _UNKNOWN_HASH, _UNKNOWN_PREFERENCE, _NO_PAIRS, _NO_RANDOM, _NO_MEMORY,
 *        _SIZE_OVERFLOW.
 * Owner  the caller, until lfb_filter_free().
 * Reads  LFBLOOM_SIMD from the environment, once in a process, as reading a filter and
 *        lfb_config_plan() do: the most vector instructions to use, "none", "avx2" or
 *        "avx512".  Any other value is as none given: the best that the processor has.
 *        All give the same bits and answers.
 */
LFB_API lfb_status lfb_filter_create(const lfb_config *config, lfb_filter **filter);

/* Frees a filter that no call is using; NULL is ignored. */
LFB_API void lfb_filter_free(lfb_filter *filter);

/*
 * Puts a key of `size` bytes, at least 0.
 *
 * Returns whether it turned on at least one bit: false says that the key, or
 * others with the same bits, had been put before.
 * Progress lock-free.
 */
LFB_API bool lfb_filter_put(lfb_filter *filter, const void *bytes, size_t size);

/* Whether the key may have been put; false is certain.  Wait-free. */
LFB_API bool lfb_filter_might_contain(const lfb_filter *filter, const void *bytes, size_t size);

/*
 * Puts a key, and tells one caller alone that it is new.
 *
 * Returns  true to one caller: no other claim of this key has returned or will return true.
 *          false: the key was present, by another claim, by a put, or as a false positive.
 * Cost     of a key that is present, that of a query; of a new key, two locked operations more
 *          than a put (guava-mitz64: three), on one more cache line.
 * Progress lock-free (head of this file).
 */
LFB_API bool lfb_filter_claim(lfb_filter *filter, const void *bytes, size_t size);

/*
 * The same for a 64-bit key.  With fast it is hashed as a number, or keyed as its 8
 * bytes, little-endian.  With Guava's strategies, sbbf and java-double it is
 * the key's 8 bytes, little-endian (Guava's Funnels.longFunnel(), Parquet's INT64);
 * with go-fnv14 the text of it as a signed decimal number.
 */
LFB_API bool lfb_filter_put_u64(lfb_filter *filter, uint64_t key);
LFB_API bool lfb_filter_might_contain_u64(const lfb_filter *filter, uint64_t key);
LFB_API bool lfb_filter_claim_u64(lfb_filter *filter, uint64_t key);

/*
 * The same for a key's hash, 64 bits that the caller has mixed well.  fast uses it
 * as it is, without the seed: inline through lfbloom/fast.h as well; so does sbbf, as
 * the XXH64 of what Parquet hashes.  Strategies
 * whose hash is wider derive the rest from it: equal to no other way of putting.
 */
LFB_API bool lfb_filter_put_hash(lfb_filter *filter, uint64_t hash);
LFB_API bool lfb_filter_might_contain_hash(const lfb_filter *filter, uint64_t hash);
LFB_API bool lfb_filter_claim_hash(lfb_filter *filter, uint64_t hash);

/* The same for an object, through its funnel (lfbloom/sink.h). */
LFB_API bool lfb_filter_put_object(lfb_filter *filter, lfb_funnel funnel, const void *object);
LFB_API bool lfb_filter_might_contain_object(const lfb_filter *filter, lfb_funnel funnel,
                                             const void *object);
LFB_API bool lfb_filter_claim_object(lfb_filter *filter, lfb_funnel funnel, const void *object);

/*
 * Many keys at a time: the same answers as one by one, in fewer cache misses'
 * time, since the lines of later keys are under way while earlier ones are used.
 *
 * Takes   keys     `count` of them.
 *         answers  NULL, or (count + 63) / 64 words that receive answer i in bit
 *                  i % 64 of word i / 64; bits beyond the last answer are 0.  Not
 *                  in the same memory as the keys.
 * Returns how many answers are true.
 * Big     Without answers, and from about 8 keys for each 64 bytes of a fast filter on,
 *         keys are gathered in memory of the call's own, at most config.batch_memory
 *         bytes but for whole pages, and merged: up to half the time.  The memory is kept
 *         for the next such call until the filter is freed; if it is refused, nothing is
 *         lost but time.  A key may then be found late, but before the call returns.
 * Order   of one batch, a key that comes twice counts as new at most once when
 *         no other thread puts it; claimed, it is won at most once whoever else claims,
 *         and by the first of the batch if by one of them.
 * Progress, Threads  as one by one.
 */
LFB_API size_t lfb_filter_put_many(lfb_filter *filter, const lfb_key *keys, size_t count,
                                   uint64_t *answers);
LFB_API size_t lfb_filter_might_contain_many(const lfb_filter *filter, const lfb_key *keys,
                                             size_t count, uint64_t *answers);
LFB_API size_t lfb_filter_claim_many(lfb_filter *filter, const lfb_key *keys, size_t count,
                                     uint64_t *answers);
LFB_API size_t lfb_filter_put_many_u64(lfb_filter *filter, const uint64_t *keys, size_t count,
                                       uint64_t *answers);
LFB_API size_t lfb_filter_might_contain_many_u64(const lfb_filter *filter, const uint64_t *keys,
                                                 size_t count, uint64_t *answers);
LFB_API size_t lfb_filter_claim_many_u64(lfb_filter *filter, const uint64_t *keys, size_t count,
                                         uint64_t *answers);
LFB_API size_t lfb_filter_put_many_hash(lfb_filter *filter, const uint64_t *hashes, size_t count,
                                        uint64_t *answers);
LFB_API size_t lfb_filter_might_contain_many_hash(const lfb_filter *filter,
                                                  const uint64_t *hashes, size_t count,
                                                  uint64_t *answers);
LFB_API size_t lfb_filter_claim_many_hash(lfb_filter *filter, const uint64_t *hashes,
                                          size_t count, uint64_t *answers);

/*
 * Puts everything that is in `from` into `into`: what was put into `from` before
 * the call, and some of what is put meanwhile.  Two filters fit if they were made
 * with the same n, p and strategy and, with fast, the same seed: give both one, or
 * the second what lfb_filter_stats() says of the first.
 *
 * Fails  LFB_ERROR_SAME_FILTER, _PROBES_DIFFER, _PROBES_DIFFER_BY_FORMULA (that is
 *        the cause as far as the two filters' descriptions tell), _BIT_COUNT_DIFFERS,
 *        _STRATEGY_DIFFERS, _HASH_DIFFERS: looked for in this order, as Guava does.
 * Progress lock-free.
 */
LFB_API lfb_status lfb_filter_put_all(lfb_filter *into, const lfb_filter *from);

/*
 * Copies a filter: what was put before the call, and some of what is put
 * meanwhile; the bit count is that of the copy.
 *
 * Fails  LFB_ERROR_NO_MEMORY.   Owner  the caller, until lfb_filter_free().
 */
LFB_API lfb_status lfb_filter_copy(const lfb_filter *filter, lfb_filter **copy);

/*
 * The filter's figures now.  Wait-free.
 *
 * Cost   Of a filter in memory: some microseconds.  Of one in a file (lfbloom/mapped.h) the bits
 *        are counted in its words: 10 to 50 us per MiB, about 0.1 s per GiB.
 */
LFB_API void lfb_filter_stats(const lfb_filter *filter, lfb_stats *stats);

/*
 * The same for a caller that asks often.  The bits of a filter in a file are counted again only
 * once the last count is older than 100 times what it took, so that counting takes at most 1 % of
 * a processor.  stats->bits_set_age says how old the count is; it is never above the truth.  A
 * call of lfb_filter_stats(), in a thread of its own say, renews it at any time.
 */
LFB_API void lfb_filter_stats_recent(const lfb_filter *filter, lfb_stats *stats);

/* The longest label, in bytes, without the NUL behind it. */
enum { LFB_LABEL_SIZE = 63 };

/*
 * Whether a filter can have this label: UTF-8 without control characters, at most
 * LFB_LABEL_SIZE bytes.  Fails: LFB_ERROR_BAD_LABEL.
 */
LFB_API lfb_status lfb_label_check(const char *label);

/*
 * Gives a filter a label, a line of the caller's own: it goes along into copies and
 * the native form, and nothing is done with it.
 *
 * Takes    label  copied; "" for none, which is how a filter begins.
 * Fails    LFB_ERROR_BAD_LABEL: the filter keeps the label it has.
 * Mapped   (lfbloom/mapped.h): this process's copies and files; the file that is shared
 *          keeps the label that it was made with.
 */
LFB_API lfb_status lfb_filter_set_label(lfb_filter *filter, const char *label);

/* A filter's label; the filter's own, until it gets another one or is freed. */
LFB_API const char *lfb_filter_label(const lfb_filter *filter);

/*
 * The figures that a filter of this configuration would have when empty, without
 * making it.  Fails as lfb_filter_create() does, memory apart.
 */
LFB_API lfb_status lfb_config_plan(const lfb_config *config, lfb_stats *stats);

/*
 * The probability of a wrong "maybe" that such a filter has once `insertions`
 * distinct elements are in, by its strategy's model.  Fails as lfb_config_plan().
 */
LFB_API lfb_status lfb_config_fpp_after(const lfb_config *config, uint64_t insertions,
                                        double *fpp);

/* The strategy's name, "guava-mitz64" say; NULL for one that is not here. */
LFB_API const char *lfb_strategy_name(lfb_strategy_id strategy);

/* The strategy of that name.  Fails: LFB_ERROR_UNKNOWN_STRATEGY. */
LFB_API lfb_status lfb_strategy_from_name(const char *name, lfb_strategy_id *strategy);

/* The form's name, "guava" say; NULL for one that is not here. */
LFB_API const char *lfb_form_name(lfb_form form);

/* The form of that name.  Fails: LFB_ERROR_NO_SUCH_FORM. */
LFB_API lfb_status lfb_form_from_name(const char *name, lfb_form *form);

/* Whether this form can hold filters of this strategy. */
LFB_API bool lfb_form_holds(lfb_form form, lfb_strategy_id strategy);

/*
 * Receives the next `size` bytes of a form.  Takes all of them and returns
 * LFB_OK, or returns what the writing call is to fail with.
 */
typedef lfb_status (*lfb_write_fn)(void *to, const void *bytes, size_t size);

/*
 * Gives up to `size` bytes, at least 1 (short reads are fine); 0 in `*got` is the
 * end.  Returns LFB_OK, or what the reading call is to fail with.
 */
typedef lfb_status (*lfb_read_fn)(void *from, void *bytes, size_t size, size_t *got);

/* Bytes of a serialised filter, counted from its first one. */
typedef struct lfb_extent {
  uint64_t offset; /* of the first one  */
  uint64_t size;   /* how many there are */
} lfb_extent;

/* Of how many damaged parts a reader says where they are. */
enum { LFB_DAMAGE_LISTED = 16 };

/* What a reader found wrong by checksums, and where. */
typedef struct lfb_damage {
  uint64_t checked_bytes; /* that were compared with a checksum; 0: the form has none,
                             or the filter ended before the first                    */
  uint64_t count;         /* of damaged parts: the header, a MiB of words (the last
                             one may be shorter), the checksums themselves           */
  uint64_t bytes;         /* of all damaged parts together                           */
  uint64_t bits_missing;  /* that the header counts as set and the words do not have */
  lfb_extent first[LFB_DAMAGE_LISTED]; /* the first `count` of the parts, in order    */
} lfb_damage;

/* What a reader accepts.  All zero, or a NULL pointer, is the default. */
typedef struct lfb_read_limits {
  uint64_t max_bytes; /* of the words, checked before they are allocated; 0: none */
  const uint8_t *key; /* 16 bytes, of a filter with a keyed hash; NULL: none, or
                         the one that the file has                                */
  lfb_damage *damage; /* where to say what is damaged; NULL: not wanted           */
  bool open_damaged;  /* not to refuse damaged words, but to open them as all ones */
} lfb_read_limits;

/*
 * Writes a filter: what was put before the call, and some of what is put
 * meanwhile.
 *
 * Takes  at most 1 MiB of memory meanwhile, and 8 bytes for each MiB of the words.
 * Fails  LFB_ERROR_NO_SUCH_FORM, _FORM_CANNOT_HOLD, _NO_MEMORY, or whatever `write` returned.
 */
LFB_API lfb_status lfb_filter_write(const lfb_filter *filter, lfb_form form, lfb_write_fn write,
                                    void *to);

/*
 * Reads a filter in any form known here, told apart by its bytes.  What follows
 * the filter is left unread.  Memory is taken as the bytes come, never for bytes
 * that a header only claims.
 *
 * Fails  LFB_ERROR_UNKNOWN_FORM, _GROWING (lfbloom/growing.h opens it), _COUNTING
 *        (lfbloom/counting.h opens it), _TRUNCATED,
 *        _BAD_STRATEGY, _BAD_PROBES, _BAD_WORD_COUNT, _BAD_HEADER, _BAD_CHECKSUM,
 *        _UNKNOWN_VERSION, _KEY_NEEDED, _WRONG_KEY, _OVER_LIMIT, _NO_MEMORY, or whatever
 *        `read` returned.
 * Damage limits->damage is written whatever is returned: all 0 where nothing was
 *        compared.  With open_damaged, words that do not match their checksum become
 *        all ones: every key that has a bit among them may be in as far as those go,
 *        so that no key is lost, and more are wrongly said to be in; the filter's
 *        figures are those of the words as they are then, and know of whole MiB that are all
 *        ones, also in the file that is written of it (but in form mapped, opened as a mapped
 *        file, or put into another filter: there they say too little).  A damaged header is
 *        refused all the same, as is a filter that ends too early.  If damage is wanted,
 *        a filter that lacks only its key is compared before it is refused.  Once written
 *        again, the filter is whole, and nothing tells the ones from others.
 * Owner  the caller, until lfb_filter_free().
 */
LFB_API lfb_status lfb_filter_read(lfb_read_fn read, void *from, const lfb_read_limits *limits,
                                   lfb_filter **filter);

/*
 * Writes a filter to a file, atomically and durably: into a temporary file in the
 * same directory, synced, then renamed, and the directory synced (where it may be read).
 * The new file gets the permissions of the file that it replaces, where the file system has
 * permissions; if it holds a key (config.keep_key), at most 0600 of them.  It gets nothing
 * else: owner, group, ACL and extended attributes are those of a new file.
 * Behind a symbolic link the file it points to is replaced.  A path that is no regular file
 * (a pipe, a terminal) is written to as it is.
 *
 * Fails  as lfb_filter_write(), and LFB_ERROR_OPEN, _WRITE, _RENAME, _NO_MEMORY: `path`
 *        is as it was and no temporary file is left.  LFB_ERROR_SYNC: it is the old
 *        file or the new one, whole, and a power cut may yet bring the old one back.
 *        The cause is in errno, but of _NO_MEMORY.  Calls that a signal interrupts go on.
 * Killed a process that is killed meanwhile leaves the old file or the new one, whole, and
 *        maybe a temporary file, .lfbloom- and 8 hexadecimal digits in that directory,
 *        which nothing uses again: delete it once nobody saves there.
 */
LFB_API lfb_status lfb_filter_save(const lfb_filter *filter, lfb_form form, const char *path);

/*
 * Reads a filter from a regular file that holds it and nothing else.  From a pipe or a device
 * lfb_filter_read() reads one.
 *
 * Fails  as lfb_filter_read(), and LFB_ERROR_OPEN and _READ with the cause in errno,
 *        LFB_ERROR_TRAILING_BYTES; LFB_ERROR_NOT_REGULAR, at once: it does not wait for a
 *        pipe's other end.
 */
LFB_API lfb_status lfb_filter_load(const char *path, const lfb_read_limits *limits,
                                   lfb_filter **filter);

#ifdef __cplusplus
}
#endif

#endif
