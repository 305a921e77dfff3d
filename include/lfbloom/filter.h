/*
 * lfbloom/filter.h - a Bloom filter that any number of threads insert into and
 * query at once.
 *
 * A query answers "definitely absent" or "maybe present".  Once a filter holds the expected
 * number of keys, a query for an absent key answers "maybe" with about the probability that
 * the filter was made for: a false positive.  A present key is never reported absent.
 *
 * Guarantees
 *
 * 1. Found      If put(x) or claim(x) returned before might_contain(x) began, in the
 *               happens-before sense, the query returns true.  This holds across put_all,
 *               copy, fold, write and read, too.
 * 2. Changed    put returns true if and only if it turned on at least one bit (0 -> 1).  If several
 *               threads put the same new key at once, at least one of them gets true, and more
 *               can.  With strategy fast-pair, the default for fpp >= 0.005 (LFB_DEFAULT),
 *               exactly one does.  (None does if puts of other keys turn on all of the key's bits
 *               first.)
 *    Claimed    Of all claims of one key, concurrent or not, at most one returns true.  Exactly
 *               one does, except that none may in three cases: the key was a false positive at
 *               that time, a put put it (before or at the same time), or the winner was killed
 *               before its claim returned.
 * 3. Progress   Queries are wait-free; put, claim and put_all are lock-free, for any number of
 *               threads and processes.  Queries, put and claim may run in signal handlers.  After
 *               a thread's first call none of these four allocates, locks or enters the kernel
 *               (Exceptions, below).
 * 4. Stopped    A thread that stops at any instruction, and never runs again, blocks no other
 *               thread, unless a claim takes a lock (Exceptions, below).  If it stops after its
 *               claim has won, a query may answer "absent" until the next claim of that key, or of
 *               a key that shares its cell (a place for claims), completes the stopped one.  That
 *               claim returns false for the key, so no caller ever receives true for it.
 * 5. Count      bits_set is exact whenever no put or claim is running, and never above the true
 *               number while some are.  If the filter is in a file (lfbloom/mapped.h),
 *               lfb_filter_stats() counts its bits when it is called.
 * 6. Quiet      A query never writes.  A put or claim of a present key writes to no memory that
 *               other threads read.  Exception: a put_many of a big batch writes the filter's
 *               pointers to the memory that it keeps for batches.
 * 7. Not a      A query that returns true does not make another thread's earlier writes visible:
 *    message    bits are read and set relaxed, and all bits of x may have come from other keys.
 *               A caller that needs "present, therefore the data is there" must provide that
 *               order itself (join, queue, release store).
 * 8. Rate       After expected_insertions distinct keys, an absent key is a false positive with the
 *               probability fpp; expected_fpp of lfb_stats has the probability now.
 *    Double     The layouts of guava-mitz32, guava-mitz64, java-double and redis-mitz32 are fixed and
 *    hashing    have some keys with fewer than k bits, which adds about 3.2 / (k m) to that.  With
 *               few keys or a very small fpp it can be most of the rate; expected_fpp and
 *               lfb_config_fpp_after() include it, as an estimate within a factor of 2 or 3.
 *
 * Progress in detail
 *
 *   put         retries only because another thread turned on a bit of the same word: at most
 *               64 times per word.
 *   claim       retries only because another claim won or was completed.  It completes each
 *               unfinished claim that it meets.
 *   Exceptions  Strategy guava-mitz64 on a processor without a 16-byte compare-and-exchange:
 *               a claim takes one of 256 locks, chosen by the key.  It waits for a thread that
 *               stopped while it held that lock.
 *               With lazy_memory the first touch of a page enters the kernel.
 *               For a big batch put_many may allocate.
 *
 * Environment
 *
 *   Signals     A signal handler may call put, query and claim, also when it interrupts a put or
 *               claim of the same thread.  Not allowed in a handler: all other functions, a
 *               thread's first put, query or claim of any filter, a put_many of a big batch, and a
 *               claim that takes a lock (Exceptions, above).
 *   fork        A child may continue to use its copy of a filter in private memory.  If other
 *               threads of the parent were putting at the fork, the child's bits_set can stay
 *               too low by the bits that these threads had not yet counted.  If another thread
 *               was claiming a key at the fork, that key may be present in the child with no
 *               winner there.  If that claim had taken a lock (Exceptions, above), a claim in the
 *               child can wait forever.  Filters in files have none of these effects
 *               (lfbloom/mapped.h).
 *   Threads     The first 64 threads of a process (or as many as it has processors, if that is
 *               more) each count bits in memory of their own: 0.3 ns per put of a new key.  Further
 *               threads share counters and use one locked operation: 3 to 7 ns.  Nothing else
 *               differs for a filter.  When a thread ends, the next new thread reuses its counters.
 *   Stack       A call needs at most 16 KiB of the thread's stack.  A call that sizes a filter
 *               needs at most 32 KiB: each create, lfb_config_plan(), lfb_config_fpp_after(),
 *               lfb_builder_size(), lfb_versions_begin_rebuild(), lfb_follow_create(),
 *               lfb_follow_poll(), and a put or claim that adds a layer to a growing filter.  The C library's share is
 *               included.  The figures hold for a library compiled with optimisation (-O2).
 *               The caller's own functions (lfb_write_fn, lfb_read_fn, funnels, sources) need
 *               additional stack.
 *   Memory      Allocation uses the C library.
 *   Errors      A call that fails leaves its outputs untouched and nothing half-done
 *               (lfbloom/status.h), except as its own comment says.
 *
 * Which calls may run at once on one filter (each with its _u64, _hash, _object and _many)
 *
 *               | put, claim | might_contain | put_all from | stats | copy, write, save | free
 *   put, claim  |    yes     |      yes      |     yes      |  yes  |        yes        |  no
 *   put_all into|    yes     |      yes      |     yes      |  yes  |        yes        |  no
 *   free        |    no      |      no       |     no       |  no   |        no         |  no
 *   set_label   |    yes     |      yes      |     yes      |  yes  |        no         |  no
 *
 * fold, compare and words run as copy does.
 *
 * set_label may not run at once with set_label or lfb_filter_label() of the same filter.
 *
 * The thread that makes a filter must pass it to other threads by something that orders
 * memory, as it must any pointer.
 */
#ifndef LFBLOOM_FILTER_H
#define LFBLOOM_FILTER_H

#include <lfbloom/sink.h>
#include <lfbloom/status.h>
#include <lfbloom/version.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

/* A concurrent Bloom filter. */
typedef struct lfb_filter lfb_filter;

/*
 * How an element becomes bits.
 *
 * LFB_DEFAULT  is only for a new filter.  It is LFB_FAST_PAIR if fpp >= 0.005, memory_preference is
 *              not LFB_MEMORY_SMALLEST, and the processor has a 16-byte compare-and-exchange
 *              without a lock (x86-64; aarch64 from ARMv8.1).  If not, and on other machines such
 *              as s390x, it is LFB_FAST.  lfb_config_plan() and a filter's figures state which it
 *              is.  Just below 0.005 the size is 11 % smaller, because pairs take more memory.
 *              For counting and growing filters it is LFB_FAST.
 */
typedef enum lfb_strategy_id {
  LFB_DEFAULT = 0,      /* LFB_FAST_PAIR or LFB_FAST (below)                     */
  LFB_GUAVA_MITZ32 = 1, /* Guava's MURMUR128_MITZ_32, bit for bit                */
  LFB_GUAVA_MITZ64 = 2, /* Guava's MURMUR128_MITZ_64, bit for bit                */
  LFB_SBBF = 3,         /* Parquet's split-block filter, bit for bit             */
  LFB_JAVA_DOUBLE = 4,  /* h1 + i*h2 in Java ints over two murmur3_32 seeds      */
  LFB_GO_FNV14 = 5,     /* 14 fixed seeds over FNV-1a 32; always 2^25 bits       */
  LFB_REDIS_MITZ32 = 6, /* MITZ_32 with modulus m, as a Java helper over Redis   */
  LFB_FAST_PAIR = 7,    /* two words per key, changed at once: every put is a claim */
  LFB_FAST = 8,         /* one cache line per key                               */
} lfb_strategy_id;

/* How the number of probes follows from n and p.  Guava changed its formula; filters of both
 * kinds are in use. */
typedef enum lfb_probes_formula {
  LFB_PROBES_GUAVA_31 = 0,      /* max(1, round(m / n * ln 2)), up to Guava 31.1 */
  LFB_PROBES_GUAVA_CURRENT = 1, /* max(1, round(-ln p / ln 2))                   */
} lfb_probes_formula;

/*
 * How a key's bytes become its hash, where the strategy leaves the choice (fast, fast-pair).
 *
 * Against an attacker that chooses keys, puts them, queries them, and sees the answers and how
 * long they take (docs/hash.md):
 *
 *   AES, SipHash-1-3   A secret key of 128 bits protects: a key that the attacker has not used
 *                      before is a false positive with the filter's own probability.
 *   XXH3               Its seed protects only while the attacker sees no answers.  Some hundred
 *                      thousand puts and queries reveal it; then any key can be made a false
 *                      positive.
 *   Others             Strategies without a choice of hash do not protect.
 *
 * No hash prevents that a false positive that was found is repeated, or that a filter is filled
 * with new keys.
 */
typedef enum lfb_hash_id {
  LFB_HASH_DEFAULT = 0,   /* fast, fast-pair: LFB_HASH_AES if the processor has the instructions,
                             LFB_HASH_SIPHASH13 if not; LFB_HASH_XXH3 if config.seed is given.
                             Other strategies: their own                             */
  LFB_HASH_XXH3 = 1,      /* XXH3, 64 bits, with a seed; integers by a seeded mixer: for keys
                             that nobody hostile chooses                             */
  LFB_HASH_SIPHASH13 = 2, /* SipHash-1-3 with a 128-bit key                          */
  LFB_HASH_AES = 3,       /* AES-128 of an almost-universal hash, with a 128-bit key.  A processor
                             without the instructions takes 230 to 550 ns a key */
} lfb_hash_id;

/* How `fast` chooses between less memory and fewer words per key.  Each limit allows one cache
 * line more.  A smaller fpp never takes less memory: where the number of words changes, a filter may
 * hold a smaller fpp than it was made for.  A filter of `sbbf` up to 128 MiB is rounded up to a power of two, which Arrow and Velox
 * need to read it, except with LFB_MEMORY_SMALLEST. */
typedef enum lfb_memory_preference {
  LFB_MEMORY_BALANCED = 0, /* few words per key, within 5 % of the smallest size    */
  LFB_MEMORY_SPEED = 1,    /* fewer words per key, within 25 % of the smallest size */
  LFB_MEMORY_SMALLEST = 2, /* the smallest size                                     */
} lfb_memory_preference;

/* The description of a filter to make.  All zero is the default, except that fpp must be set.
 * (C++ warns of fields that {.fpp = 0.01} omits: lfb_config config = {}; config.fpp = 0.01;) */
typedef struct lfb_config {
  uint64_t expected_insertions; /* n, in distinct keys; 0 counts as 1               */
  double fpp;                   /* p, 0 < fpp < 1, once n keys are present          */
  lfb_strategy_id strategy;     /* how a key becomes bits                           */
  lfb_probes_formula probes_formula; /* for the Guava strategies and java-double    */
  lfb_hash_id hash; /* for the strategies that leave the choice                     */
  uint64_t seed;    /* fast, fast-pair: of XXH3; 0 for a random one; with another hash must be 0.
                       java-double: first seed in the low 32 bits, second in the high 32; 0 for
                       seeds 0 and 1.  Other strategies have no seed: must be 0     */
  uint8_t key[16];  /* of a keyed hash (AES, SipHash-1-3); for other hashes must be 0.  All 0: the
                       library draws a random key and writes it into files, as with keep_key.
                       Give `hash`, too, if processors with and without AES are to hash alike.
                       Use random bytes, not a password: a file allows guesses to be tested */
  bool keep_key;    /* write a given key into files, too; without it, such a file is opened by
                       lfb_read_limits.key only, and its mode is not limited.  Any user that can
                       read a file with its key can choose keys that are all false positives.
                       The file is therefore readable by its owner only: mode at most 0600 */
  lfb_memory_preference memory_preference; /* for the strategies that have the choice */
  uint64_t batch_memory; /* bytes that one put_many may take for a big batch (see there); 0 for
                            64 MiB, 1 for no big batches                            */
  bool lazy_memory;      /* back a page with memory only when it is first touched   */
  bool foldable; /* round the size up so that lfb_filter_fold() has many factors: with at least 80,640
                    blocks (13,440; 1,920; fewer) all up to 10 (7; 6; 4), and larger powers of two
                    as the filter grows.  A fold by a wanted 2 to 32 then leaves it at most 14 %
                    (29 %; 50 %; 2.7 times) too large.  The filter is at most 1/32 larger, or 12 blocks.  From 80,640
                    blocks on (fast: 5 MiB), one for 2^i times the keys is 2^i times as large.
                    sbbf up to 128 MiB has a power of two already (lfb_memory_preference).  Growing
                    filters ignore it */
  uint32_t file_mode; /* permissions of a new file that processes share (lfbloom/mapped.h),
                         reduced by the umask; 0 for 0600.  If the file holds the hash's key,
                         bits beyond 0600 are ignored                               */
  uint64_t reserved[8]; /* must be 0 (lfbloom/status.h) */
} lfb_config;

/* A serialised form: the one that a filter was read from, or the one to write. */
typedef enum lfb_form {
  LFB_FORM_NONE = 0,   /* made in memory                                            */
  LFB_FORM_GUAVA = 1,  /* what Guava's BloomFilter.writeTo writes                   */
  LFB_FORM_NATIVE = 2, /* this library's own: any strategy, described and checksummed
                          (docs/formats.md); can hold the key of a keyed hash */
  LFB_FORM_SBBF = 3,   /* what Parquet files hold: header and bitset of strategy sbbf */
  LFB_FORM_MAPPED = 4, /* what several processes map at once (lfbloom/mapped.h): any strategy,
                          no checksums of the words                                 */
} lfb_form;

/* A filter's figures. */
typedef struct lfb_stats {
  lfb_strategy_id strategy;     /* how a key becomes bits; never LFB_DEFAULT        */
  lfb_form form;                /* that the filter was read from                    */
  uint64_t expected_insertions; /* n; 0 if the form does not record it              */
  double fpp;                   /* p; 0 if the form does not record it              */
  uint64_t bit_count;           /* m, in bits                                       */
  uint64_t reachable_bits;      /* bits that a key can have; below bit_count if the strategy's
                                   arithmetic is too narrow for so large a filter   */
  uint32_t probes;              /* k, bits per key                                  */
  uint32_t words_per_key;       /* within one cache line: w of fast, 2 of fast-pair, 4 of
                                   sbbf; 0: a key's bits can be anywhere            */
  lfb_hash_id hash;             /* LFB_HASH_DEFAULT: the strategy has no choice     */
  bool key_kept;                /* the key of a keyed hash is written into files    */
  uint64_t seed;                /* of XXH3, or of java-double; others: 0            */
  uint64_t bytes;               /* of the words that hold the bits                  */
  uint64_t bits_set;            /* exact while no put or claim is running           */
  double bits_set_age;          /* seconds since bits_set was counted; 0 except from
                                   lfb_filter_stats_recent()                        */
  bool saturated;               /* all reachable bits are set: every answer is "maybe" */
  uint64_t approximate_count;   /* distinct keys that were put, estimated from bits_set;
                                   UINT64_MAX if saturated                          */
  double expected_fpp;          /* probability of a false positive now              */
  uint64_t written;             /* time, in seconds since 1970, at which the file that the
                                   filter was read from was written; 0 if the form does not
                                   record it                                        */
  uint64_t counters_stuck;      /* counters stuck at 15 (lfbloom/counting.h); 0: a plain filter */
  uint64_t reserved[16]; /* 0 (lfbloom/status.h) */
} lfb_stats;

/*
 * Makes an empty filter.
 *
 * Fails  LFB_ERROR_FPP_TOO_LOW (also for NaN), _FPP_TOO_HIGH, _NO_BITS, _TOO_MANY_PROBES,
 *        _TOO_MANY_BITS, _UNKNOWN_STRATEGY, _UNKNOWN_FORMULA, _UNKNOWN_HASH,
 *        _UNKNOWN_PREFERENCE, _NO_PAIRS, _NO_RANDOM, _NO_MEMORY, _SIZE_OVERFLOW.
 * Owner  the caller, until lfb_filter_free().
 * Reads  LFBLOOM_SIMD from the environment, once per process; reading a filter and
 *        lfb_config_plan() do so, too.  Its value limits the vector instructions to use: "none",
 *        "aes" (of 128 bits), "avx2" or "avx512".  With any other value, or none, the library
 *        uses the best that the processor has.  All give the same bits and answers; with "none" a
 *        new filter takes LFB_HASH_SIPHASH13 by default.
 */
LFB_CHECKED lfb_status lfb_filter_create(const lfb_config *config, lfb_filter **filter);

/* Frees a filter.  No other call may be using it.  NULL is ignored. */
LFB_API void lfb_filter_free(lfb_filter *filter);

/*
 * Puts a key of `size` bytes; 0 is allowed.
 *
 * Returns  whether it turned on at least one bit.  false: the key was present, or other keys
 *          had turned on all of its bits.
 * Progress lock-free.
 */
LFB_API bool lfb_filter_put(lfb_filter *filter, const void *bytes, size_t size);

/* Returns whether the key may be present; false is certain.  Wait-free. */
LFB_API bool lfb_filter_might_contain(const lfb_filter *filter, const void *bytes, size_t size);

/*
 * Puts a key, and returns true to at most one of the callers that claim it.
 *
 * Returns  true: the key was absent, and no other claim of it has returned or will return true.
 *          false: the key was present, by another claim, by a put, or as a false positive.
 * Cost     of a present key that of a query.  Of a new key two locked operations more than a put
 *          (guava-mitz64: three), on one more cache line; with fast-pair that of a put.
 * Progress lock-free (head of this file, 3).
 */
LFB_API bool lfb_filter_claim(lfb_filter *filter, const void *bytes, size_t size);

/*
 * The same for a 64-bit key:
 *
 *   fast, fast-pair               hashed as a number; by SipHash-1-3 as its 8 bytes,
 *                                 little-endian
 *   Guava's, redis-mitz32,        hashed as its 8 bytes, little-endian (Guava's
 *   sbbf, java-double             Funnels.longFunnel(), Parquet's INT64)
 *   go-fnv14                      hashed as the text of a signed decimal number
 *
 * So with fast and fast-pair a number and its 8 bytes are two keys, except by SipHash-1-3: put and
 * query a key by the same kind of call.
 */
LFB_API bool lfb_filter_put_u64(lfb_filter *filter, uint64_t key);
LFB_API bool lfb_filter_might_contain_u64(const lfb_filter *filter, uint64_t key);
LFB_API bool lfb_filter_claim_u64(lfb_filter *filter, uint64_t key);

/*
 * The same for a key's hash: 64 bits that the caller has mixed well.  fast uses the hash
 * unchanged, without the seed.  sbbf uses it unchanged, too: it is Parquet's XXH64.  Strategies
 * with a wider hash derive the remaining bits from it, so such a key equals no key that was put in
 * another way.
 */
LFB_API bool lfb_filter_put_hash(lfb_filter *filter, uint64_t hash);
LFB_API bool lfb_filter_might_contain_hash(const lfb_filter *filter, uint64_t hash);
LFB_API bool lfb_filter_claim_hash(lfb_filter *filter, uint64_t hash);

/*
 * The same for a key's hash of 128 bits, which the caller calculated as the strategy does: the key
 * then equals the key that was put by its bytes.
 *
 *   guava-mitz64            MurmurHash3_x64_128 with seed 0: the first 8 bytes of Guava's
 *                           HashCode.asBytes() are `low`, the last 8 `high`; both little-endian
 *   guava-mitz32,           `low` of the same hash
 *   redis-mitz32
 *   java-double             low: MurmurHash3_x86_32 by the first seed; high: by the second
 *   go-fnv14                low: FNV-1a of 32 bits
 *   fast, fast-pair, sbbf   low: as for lfb_filter_put_hash()
 *
 * A half that is not named is ignored.
 */
LFB_API bool lfb_filter_put_hash128(lfb_filter *filter, uint64_t low, uint64_t high);
LFB_API bool lfb_filter_might_contain_hash128(const lfb_filter *filter, uint64_t low,
                                              uint64_t high);

/* The same for an object, through its funnel (lfbloom/sink.h). */
LFB_API bool lfb_filter_put_object(lfb_filter *filter, lfb_funnel funnel, const void *object);
LFB_API bool lfb_filter_might_contain_object(const lfb_filter *filter, lfb_funnel funnel,
                                             const void *object);
LFB_API bool lfb_filter_claim_object(lfb_filter *filter, lfb_funnel funnel, const void *object);

/* What is done with keys of a filter of any kind: lfbloom/any.h. */
typedef enum lfb_verb {
  LFB_PUT = 0,           /* as lfb_filter_put()           */
  LFB_MIGHT_CONTAIN = 1, /* as lfb_filter_might_contain() */
  LFB_CLAIM = 2,         /* as lfb_filter_claim()         */
  LFB_REMOVE = 3,        /* as lfb_counting_remove()      */
} lfb_verb;

/*
 * Many keys in one call.  The answers are those of one call per key.  The call takes less time,
 * since it fetches the cache lines of later keys while it uses earlier ones.
 *
 * Takes   keys     `count` of them.
 *         answers  NULL, or (count + 63) / 64 words that receive answer i in bit i % 64 of word
 *                  i / 64.  Bits after the last answer become 0.  Must not overlap the keys.
 * Returns how many answers are true.
 * Big     A put_many without answers is a big batch if it has at least about 8 keys per 64 bytes
 *         of a fast or fast-pair filter.  It collects the keys in memory of its own, at most
 *         config.batch_memory bytes rounded up to pages, and merges them, which can halve the
 *         time.  The filter keeps that memory for the next such call, until it is freed.  If the
 *         memory is refused, the call is slower and nothing is lost.  Other threads may find a key
 *         late, but at the latest when the call returns.
 * Order   If a key occurs twice in a batch, put counts it as new at most once, provided that no
 *         other thread puts it.  A claim of it is won at most once, by any caller; if the
 *         batch wins it, its first occurrence does.
 * Progress, Threads  as for one key.
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
 * Puts all keys of `from` into `into`: those put before the call, and some of those put during
 * it.  Two filters fit if they were made with the same n, p and strategy and, with fast and
 * fast-pair, the same hash and key (XXH3: and seed).  lfb_config_take_hash() makes the
 * configuration of the second from the first.
 *
 * Sizes  `from` may be larger if it folds to the size of `into` (lfb_filter_fold()): its number of
 *        bits is a multiple, and p (probes, words_per_key) is the same.  It may not be smaller:
 *        its bits do not determine where its keys would be in a larger filter.  Fold the larger
 *        one first.
 * Damage If `from` was opened with damaged words, `into` receives their bits, and its figures
 *        account for them (lfb_filter_read(), Damage).  The same holds for a copy and a fold.  A
 *        call that runs during another one into `from` may receive such bits that are not
 *        accounted for.
 *
 * Fails  LFB_ERROR_SAME_FILTER, _PROBES_DIFFER, _PROBES_DIFFER_BY_FORMULA (as far as the
 *        filters' descriptions show this cause), _BIT_COUNT_DIFFERS, _STRATEGY_DIFFERS,
 *        _HASH_DIFFERS: checked in this order, as Guava does.
 * Progress lock-free.
 */
LFB_CHECKED lfb_status lfb_filter_put_all(lfb_filter *into, const lfb_filter *from);

/* An estimate, and its standard error: the truth is at most two of them from the value about 95 times
 * in 100.  If nothing can be said, value is NAN and error is INFINITY. */
typedef struct lfb_estimate {
  double value; /* at least 0         */
  double error; /* one standard error */
} lfb_estimate;

/* What the key sets of two filters have in common.  A key that was put twice counts once. */
typedef struct lfb_comparison {
  lfb_estimate a, b;    /* distinct keys of each                                    */
  lfb_estimate both;    /* keys in both: the intersection                           */
  lfb_estimate either;  /* keys in at least one: the union                          */
  lfb_estimate jaccard; /* both / either, 0 to 1                                    */
  lfb_estimate a_in_b;  /* both / a, 0 to 1: the part of A that is in B             */
  lfb_estimate b_in_a;  /* both / b                                                 */
  uint64_t reserved[8]; /* 0 (lfbloom/status.h) */
} lfb_comparison;

/*
 * Estimates what two filters have in common, from their bits.  They fit as for lfb_filter_put_all(),
 * and have the same number of bits: if not, fold the larger one first (lfb_filter_fold(),
 * `lfbloom fold`).  The two may be one filter.  All keys put before the call are counted; those
 * put during it may be counted wholly, in part or not at all.
 *
 * Unknown  A count, if all of its filter's bits are set, or some were set by damage
 *          (lfb_read_limits.open_damaged; `either`: of one or both), and every figure that follows
 *          from it.  A ratio to an empty set.  Near saturation the errors are as large as the
 *          counts.
 * Errors   docs/guide.md has the formula and how often it held.  The keys must not have been chosen
 *          by their bits.
 * Fails    LFB_ERROR_PROBES_DIFFER, _PROBES_DIFFER_BY_FORMULA, _BIT_COUNT_DIFFERS (also if one
 *          folds to the size of the other), _STRATEGY_DIFFERS, _HASH_DIFFERS: as
 *          lfb_filter_put_all().
 * Progress wait-free; reads each word once, about 0.25 s per GiB of each filter.  Allocates nothing.
 */
LFB_CHECKED lfb_status lfb_filter_compare(const lfb_filter *a, const lfb_filter *b,
                                          lfb_comparison *result);

/*
 * Makes a filter of 1/factor of the size that has all keys: those put before the call, and some of
 * those put during it.  It has exactly the bits of a filter that was made at that size; its false
 * positives are those of that filter.  This one stays as it is.
 *
 * Takes    factor  at least 1.  It must divide the number of blocks (fast: of 64 bytes, sbbf: 32,
 *                  fast-pair: 16); other strategies: the number of 64-bit words, if all bits of
 *                  these are used.  lfb_config.foldable makes filters that many factors divide.
 * Gives    folded  expected_insertions is this filter's divided by `factor`; fpp, label and hash
 *                  are the same.  (lfb_stats.fpp is held up to that number of keys.)
 * Fails    LFB_ERROR_CANNOT_FOLD: the factor is 0 or does not divide, or the strategy has one size
 *          only (go-fnv14).  LFB_ERROR_NO_MEMORY.
 * Progress lock-free.
 * Owner    the caller, until lfb_filter_free().
 */
LFB_CHECKED lfb_status lfb_filter_fold(const lfb_filter *filter, uint64_t factor,
                                       lfb_filter **folded);

/*
 * Copies a filter: the keys put before the call, and some of those put during it.  The copy's
 * bit count is that of its own bits.
 *
 * Fails  LFB_ERROR_NO_MEMORY.
 * Owner  the caller, until lfb_filter_free().
 */
LFB_CHECKED lfb_status lfb_filter_copy(const lfb_filter *filter, lfb_filter **copy);

/*
 * Copies words of the filter, each as of the time when it is read: bit i of the filter is bit i % 64
 * of word i / 64.  docs/formats.md has the bits that a key has.  Wait-free.
 *
 * Takes   first  index of the first word.  The filter has lfb_stats.bytes / 8 words.
 *         words  receives at most `count` words.
 * Returns how many it copied: fewer than `count` if the filter ends before.
 */
LFB_API size_t lfb_filter_words(const lfb_filter *filter, uint64_t first, uint64_t *words,
                                size_t count);

/*
 * Writes the filter's figures now.  Wait-free.
 *
 * Cost   Filter in memory: some microseconds.  Filter in a file (lfbloom/mapped.h): its words are
 *        counted, which takes 10 to 50 us for 1 MiB and about 0.1 s per GiB for large filters.
 */
LFB_API void lfb_filter_stats(const lfb_filter *filter, lfb_stats *stats);

/*
 * The same for a caller that polls.  The bits of a filter in a file are counted again only if
 * the last count is older than 100 times the time that it took: counting takes at most 1 % of a
 * processor.  stats->bits_set_age is the age of the count.  The count is never above the true
 * number.  A call of lfb_filter_stats(), in another thread for example, renews it at any time.
 */
LFB_API void lfb_filter_stats_recent(const lfb_filter *filter, lfb_stats *stats);

/* The longest label, in bytes, without its terminating NUL. */
enum { LFB_LABEL_SIZE = 63 };

/*
 * Checks that a text can be a label: UTF-8 without control characters, at most LFB_LABEL_SIZE
 * bytes.  Fails: LFB_ERROR_BAD_LABEL.
 */
LFB_CHECKED lfb_status lfb_label_check(const char *label);

/*
 * Sets a filter's label: one line of text for the caller's own use.  Copies and files of the
 * native form have it, too.
 *
 * Takes    label  copied; "" for none.  A new filter has none.
 * Fails    LFB_ERROR_BAD_LABEL: the filter keeps its label.
 * Mapped   (lfbloom/mapped.h): the new label applies to this process, its copies and the files
 *          that it saves.  The shared file keeps the label that it was made with.
 */
LFB_CHECKED lfb_status lfb_filter_set_label(lfb_filter *filter, const char *label);

/* Returns a filter's label; valid until the next lfb_filter_set_label() or lfb_filter_free(). */
LFB_API const char *lfb_filter_label(const lfb_filter *filter);

/*
 * Writes the figures of an empty filter of this configuration, without making it.  Fails as
 * lfb_filter_create() does, except with LFB_ERROR_NO_MEMORY and _SIZE_OVERFLOW.
 */
LFB_CHECKED lfb_status lfb_config_plan(const lfb_config *config, lfb_stats *stats);

/*
 * Writes the probability of a false positive that a filter of this configuration has once it
 * holds `insertions` distinct keys, by its strategy's model.  Fails as lfb_config_plan() does.
 */
LFB_CHECKED lfb_status lfb_config_fpp_after(const lfb_config *config, uint64_t insertions,
                                            double *fpp);

/*
 * Gives a configuration the hash of a filter: config.hash, seed, key and keep_key.  A filter made
 * of it hashes every key as this one does, on any processor; filters of the same size can then be
 * put together (lfb_filter_put_all()).  If the hash is keyed, config.key is the filter's secret
 * from then on.
 *
 * If config.strategy is LFB_DEFAULT, it becomes the filter's.
 *
 * Fails  LFB_ERROR_STRATEGY_DIFFERS: config.strategy is another one than the filter's.
 */
LFB_CHECKED lfb_status lfb_config_take_hash(lfb_config *config, const lfb_filter *filter);

/* Returns the name of a choice of hash, for example "aes"; NULL if it is unknown. */
LFB_API const char *lfb_hash_name(lfb_hash_id hash);

/* Finds the choice of that name.  Fails: LFB_ERROR_UNKNOWN_HASH. */
LFB_CHECKED lfb_status lfb_hash_from_name(const char *name, lfb_hash_id *hash);

/* Returns the strategy's name, for example "guava-mitz64"; NULL if it is unknown. */
LFB_API const char *lfb_strategy_name(lfb_strategy_id strategy);

/* Finds the strategy of that name.  Fails: LFB_ERROR_UNKNOWN_STRATEGY. */
LFB_CHECKED lfb_status lfb_strategy_from_name(const char *name, lfb_strategy_id *strategy);

/* Returns the form's name, for example "guava"; NULL if it is unknown. */
LFB_API const char *lfb_form_name(lfb_form form);

/* Finds the form of that name.  Fails: LFB_ERROR_NO_SUCH_FORM. */
LFB_CHECKED lfb_status lfb_form_from_name(const char *name, lfb_form *form);

/* Returns whether this form can hold filters of this strategy. */
LFB_API bool lfb_form_holds(lfb_form form, lfb_strategy_id strategy);

/*
 * The caller's function that receives the next `size` bytes of a form.  It takes all of them
 * and returns LFB_OK, or returns the status that the writing call is to fail with.
 */
typedef lfb_status (*lfb_write_fn)(void *to, const void *bytes, size_t size);

/*
 * The caller's function that delivers from 1 to `size` bytes and writes their number to `*got`;
 * 0 means the end.  It returns LFB_OK, or the status that the reading call is to fail with.
 */
typedef lfb_status (*lfb_read_fn)(void *from, void *bytes, size_t size, size_t *got);

/* A range of bytes within a serialised filter. */
typedef struct lfb_extent {
  uint64_t offset; /* of the range's first byte, from the filter's first byte */
  uint64_t size;   /* in bytes                                                */
} lfb_extent;

/* The largest number of damaged parts that lfb_damage lists. */
enum { LFB_DAMAGE_LISTED = 16 };

/* The damage that a reader found by checksums.  A part is the header, a MiB of words (the last
 * one may be shorter), or the checksums themselves. */
typedef struct lfb_damage {
  uint64_t checked_bytes; /* compared with a checksum; 0: the form has no checksums, or the
                             input ended before the first one                      */
  uint64_t count;         /* of damaged parts                                      */
  uint64_t bytes;         /* of all damaged parts together                         */
  uint64_t bits_missing;  /* bits that the header counts as set, minus those found set;
                             0 if more were found                                  */
  lfb_extent first[LFB_DAMAGE_LISTED]; /* the first damaged parts, in order        */
  uint64_t reserved[8]; /* 0 (lfbloom/status.h) */
} lfb_damage;

/* What a reader accepts.  All zero, or a NULL pointer, is the default. */
typedef struct lfb_read_limits {
  uint64_t max_bytes; /* of the words, checked before allocation; 0: no limit     */
  const uint8_t *key; /* 16 bytes: the key of the filter's keyed hash; NULL: none, or
                         the one in the file                                      */
  lfb_damage *damage; /* receives the damage found; NULL: not wanted              */
  bool open_damaged;  /* read damaged words as all ones instead of failing        */
  uint64_t reserved[8]; /* must be 0 (lfbloom/status.h) */
} lfb_read_limits;

/*
 * Writes a filter: the keys put before the call, and some of those put during it.
 *
 * Secret if lfb_stats.key_kept, the bytes hold the key of the hash.  Only the caller can keep
 *        them from other users; lfb_filter_save() sets a file's mode.
 * Memory at most 1 MiB during the call, and 8 bytes per MiB of the words.
 * Fails  LFB_ERROR_NO_SUCH_FORM, _FORM_CANNOT_HOLD, _NO_MEMORY, or the status that `write`
 *        returned.
 */
LFB_CHECKED lfb_status lfb_filter_write(const lfb_filter *filter, lfb_form form, lfb_write_fn write,
                                        void *to);

/*
 * Reads a filter in any known form; the first bytes tell which.  Bytes after the filter are
 * left unread.  Memory is allocated as bytes arrive, never because a header announces them.
 *
 * Fails  LFB_ERROR_UNKNOWN_FORM, _GROWING (lfbloom/growing.h opens it), _GROWING_MAPPED, _COUNTING
 *        (lfbloom/counting.h opens it), _WINDOW (lfbloom/window.h opens it), _TRUNCATED, _BAD_STRATEGY, _BAD_PROBES,
 *        _BAD_WORD_COUNT, _BAD_HEADER, _BAD_CHECKSUM, _UNKNOWN_VERSION, _KEY_NEEDED,
 *        _WRONG_KEY, _OVER_LIMIT, _NO_MEMORY, or the status that `read` returned.
 * Damage limits->damage is written on failure, too; it is all 0 if nothing was compared.  If
 *        damage is wanted, a filter that only lacks its key is compared before it is refused.
 *        With open_damaged, words that do not match their checksum are read as all ones.  No
 *        key is lost; keys with bits in such words become false positives more often.  A damaged
 *        header, and a filter that ends too early, are still refused.  expected_fpp and
 *        approximate_count account for each whole MiB that is all 1 bits, also after put_all, copy
 *        and fold, and after the filter is written and read again.  expected_fpp is too low in two
 *        places: in a filter that was folded before it was written and read, since less than a
 *        MiB is full, and in a file opened by lfb_mapped_open() or lfb_mapped_open_read_only(),
 *        which do not read the words.  A file written from such a filter has valid checksums: no
 *        later reader reports damage.
 * Owner  the caller, until lfb_filter_free().
 */
LFB_CHECKED lfb_status lfb_filter_read(lfb_read_fn read, void *from, const lfb_read_limits *limits,
                                       lfb_filter **filter);

/*
 * Writes a filter to a file, atomically and durably: into a temporary file in the same
 * directory, which is synced and renamed; then the directory is synced, if it may be read.
 *
 * Mode   The new file has the permissions of the file that it replaces if that belongs to the
 *        caller; if it belongs to another user, those of a new file that the other one had, too.
 *        It has no setuid, setgid or sticky bit.  If it holds the key of its hash
 *        (lfb_stats.key_kept), they are at most 0600.  Its owner, group, ACL and extended
 *        attributes are those of a new file.
 * Path   If it is a symbolic link, the link's target is replaced.  A link that another user put
 *        into a sticky folder that all may write to, such as /tmp, is refused (LFB_ERROR_OPEN,
 *        EACCES), unless that user owns the folder; so is another user's pipe there.  If it is not
 *        a regular file (a pipe, a terminal), the filter is written to it directly.
 * Races  The folder is opened once, and the file is made and renamed in it: whoever exchanges
 *        names in it meanwhile cannot lead the save elsewhere, nor choose the new file's mode.
 * Fails  as lfb_filter_write(), and LFB_ERROR_OPEN, _WRITE, _RENAME, _NO_MEMORY: `path` is
 *        unchanged (a pipe or terminal may have received a part).  LFB_ERROR_SYNC: `path` is the
 *        old file or the new one, whole, and a power cut may still bring the old one back.
 *        After any of these errors no temporary file is left, and errno has the cause (except
 *        for _NO_MEMORY).  System calls that a signal interrupts are repeated.
 * Killed If the process is killed during the call, `path` is the old file or the new one, whole.
 *        A temporary file may be left in that directory: .lfbloom- and 8 hexadecimal digits.
 *        Nothing uses it again; delete it when no process is saving there.
 */
LFB_CHECKED lfb_status lfb_filter_save(const lfb_filter *filter, lfb_form form, const char *path);

/*
 * Reads a filter from a regular file that holds nothing else.  To read from a pipe or a device,
 * use lfb_filter_read().
 *
 * Fails  as lfb_filter_read(), and LFB_ERROR_OPEN and _READ with the cause in errno,
 *        LFB_ERROR_TRAILING_BYTES.  LFB_ERROR_NOT_REGULAR: the call returns at once and does not
 *        wait for a pipe's other end.
 */
LFB_CHECKED lfb_status lfb_filter_load(const char *path, const lfb_read_limits *limits,
                                       lfb_filter **filter);

/*
 * Finds the form of a filter in a regular file by the first bytes alone: what follows may be
 * damaged, and Guava's form has no mark of its own.
 *
 * Fails  LFB_ERROR_OPEN and _READ with the cause in errno, _NOT_REGULAR, _TRUNCATED,
 *        _UNKNOWN_FORM, _GROWING, _GROWING_MAPPED, _COUNTING, _WINDOW.
 */
LFB_CHECKED lfb_status lfb_form_of_file(const char *path, lfb_form *form);

LFB_EXTERN_C_END

#endif
