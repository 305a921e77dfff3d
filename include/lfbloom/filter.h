/*
 * lfbloom/filter.h - a Bloom filter that any number of threads insert into and
 * query at once.
 *
 * A query answers "definitely absent" or "maybe present".  Once a filter holds the expected
 * number of keys, a query for an absent key answers "maybe" with about the probability that
 * the filter was made for: a false positive.  A present key is never reported absent.
 *
 *   lfb_filter_create(&config, &filter)             makes a filter for so many keys
 *   lfb_filter_put(filter, bytes, size)             puts a key
 *   lfb_filter_might_contain(filter, bytes, size)   false: the key was certainly not put
 *   lfb_filter_claim(filter, bytes, size)           puts a key; true for one of all that claim it
 *   lfb_filter_..._u64(), _hash(), _many()          the same for numbers, hashes, many keys a call
 *   lfb_filter_stats(filter, &stats)                its figures
 *   lfb_filter_save(filter, form, path), _load()    to and from a file
 *   lfb_filter_free(filter)                         frees it
 *
 * lfbloom/filter_more.h has what fewer programs need: merging, folding, comparing, plans, names.
 *
 * Guarantees
 *
 * 1. Found      If put(x) or claim(x) returned before might_contain(x) began, in the
 *               happens-before sense, the query returns true.  This holds across put_all,
 *               copy, fold, write and read, too.
 * 2. Changed    put returns true if and only if it turned on at least one bit (0 -> 1).  If several
 *               threads put the same new key at once, at least one gets true, and more can.  Only
 *               one does if a key has one pair of words, as in `fast` by default for fpp >= .005,
 *               on x86-64 and aarch64.  (None does if other keys' puts turn on its bits first.)
 *    Claimed    Of all claims of one key, concurrent or not, at most one returns true.  One does,
 *               unless the key was a false positive then, a put put it before or meanwhile, or the
 *               winner was killed before its claim returned.
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
 *               other threads read.
 * 7. Not a      A query that returns true does not make another thread's earlier writes visible:
 *    message    bits are read and set relaxed, and all bits of x may have come from other keys.
 *               A caller that needs "present, therefore the data is there" must provide that
 *               order itself (join, queue, release store).
 * 8. Rate       After expected_insertions distinct keys, an absent key is a false positive with the
 *               probability fpp; expected_fpp of lfb_stats has the probability now.
 *    Double     Some keys of guava-mitz32, guava-mitz64, java-double and redis-mitz32 have fewer
 *    hashing    than k bits, which adds about 3.2 / (k m): with few keys or a small fpp most of the
 *               rate.  expected_fpp and lfb_config_fpp_after() include it, within a factor of 3.
 *    Hash       A hash of 64 bits (fast, fast-pair, sbbf) adds 5.4e-20 for each key that was put,
 *               which no figure includes.
 *
 * Progress in detail
 *
 *   put         retries only because another thread turned on a bit of the same word: at most
 *               64 times per word.
 *   claim       retries only because another claim won or was completed; completes those it meets.
 *   Exceptions  Strategy guava-mitz64 on a processor without a 16-byte compare-and-exchange:
 *               a claim takes one of 256 locks, chosen by the key.  It waits for a thread that
 *               stopped while it held that lock.
 *               With lazy_memory the first touch of a page enters the kernel.
 *
 * Environment
 *
 *   Signals     A handler may call put, query and claim, also when it interrupts one of the same
 *               thread; nothing else, no thread's first put, query or claim of any filter, and no
 *               claim that takes a lock (Exceptions, above).
 *   fork        A child may continue to use its copy of a filter in private memory.  What other
 *               threads were doing at the fork is half-done there: its bits_set can stay too low
 *               by bits not yet counted, a key that was being claimed may be present with no
 *               winner, and a claim can wait for ever for a lock (Exceptions, above).  Filters in
 *               files have none of these effects (lfbloom/mapped.h).
 *   Threads     The first 64 threads of a process (or as many as it has processors, if that is
 *               more) each count bits in memory of their own.  Further threads share counters: a
 *               put of a new key takes one more locked operation, 3 to 7 ns.
 *   Stack       A call takes at most 16 KiB (by -O2, with the C library's share).  One that makes,
 *               plans or rebuilds a filter, lfb_config_fpp_after(), and one that adds a layer to a
 *               growing filter take at most 32 KiB.  Functions of the caller come on top.
 *   Errors      A call that fails leaves its outputs untouched and nothing half-done
 *               (lfbloom/status.h), except as its own comment says.
 *
 * Which calls may run at once on one filter (each with its _u64, _hash, _object and _many)
 *
 *               | put, claim | might_contain | put_all from | stats | copy, write, save | free
 *   put, claim  |    yes     |      yes      |     yes      |  yes  |        yes        |  no
 *   put_all into|    yes     |      yes      |     yes      |  yes  |        yes        |  no
 *   free        |    no      |      no       |     no       |  no   |        no         |  no
 *
 * fold, compare and words run as copy does.
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
 * LFB_FAST     A key has bits in 1, 2 or 4 pairs of words, which are in one cache line, or with 4
 *              pairs in two neighbouring ones.  A pair has 16 bytes and changes by one operation.
 *              fpp and memory_preference decide how many pairs; with one, every put is a claim
 *              (head of this file, 2).  LFB_FAST_PAIR is for an fpp from about 1e-8 on: a key takes
 *              25 bytes there, 68 at 1e-10 and 19 KB at 1e-18.
 */
typedef enum lfb_strategy_id {
  LFB_DEFAULT = 0,      /* LFB_FAST; of a counting filter LFB_TAGS; only for a new one */
  LFB_GUAVA_MITZ32 = 1, /* Guava's MURMUR128_MITZ_32, bit for bit                */
  LFB_GUAVA_MITZ64 = 2, /* Guava's MURMUR128_MITZ_64, bit for bit                */
  LFB_SBBF = 3,         /* Parquet's split-block filter, bit for bit             */
  LFB_JAVA_DOUBLE = 4,  /* h1 + i*h2 in Java ints over two murmur3_32 seeds      */
  LFB_GO_FNV14 = 5,     /* 14 fixed seeds over FNV-1a 32; always 2^25 bits       */
  LFB_REDIS_MITZ32 = 6, /* MITZ_32 with modulus m, as a Java helper over Redis   */
  LFB_FAST_PAIR = 7,    /* LFB_FAST with one pair at any fpp; its figures say LFB_FAST */
  LFB_FAST = 8,         /* 1, 2 or 4 pairs of words per key (above)              */
  LFB_TAGS = 9,         /* only of counting filters: lfbloom/counting.h          */
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
                             without the instructions takes 0.35 to 1.6 us for a key of up to 128
                             bytes, in a time that depends on key and secret (docs/hash.md) */
} lfb_hash_id;

/* How `fast` chooses between less memory and fewer pairs per key: a put of a new key is one locked
 * operation for each.  A smaller fpp never takes less memory: where the number of pairs changes, a
 * filter may hold a smaller fpp than it was made for.  A filter of `sbbf` up to 128 MiB is rounded
 * up to a power of two, which Arrow and Velox need to read it, except with LFB_MEMORY_SMALLEST. */
typedef enum lfb_memory_preference {
  LFB_MEMORY_BALANCED = 0, /* one pair down to 0.005, two down to 3.3e-5, four below: at most 14 %
                              above the smallest size                               */
  LFB_MEMORY_SPEED = 1,    /* one pair down to 1.2e-4, two down to 2e-9, four below: at most 57 %
                              above the smallest size                               */
  LFB_MEMORY_SMALLEST = 2, /* the smallest size: two pairs below 0.026, four below 8e-4 */
} lfb_memory_preference;

/* What the keys of a filter are, for programs that query its file later (the tool's --keys).  A
 * filter itself hashes what it is given. */
typedef enum lfb_key_type {
  LFB_KEYS_UNKNOWN = 0, /* nobody said it                                            */
  LFB_KEYS_TEXT = 1,  /* their bytes                                                 */
  LFB_KEYS_I64 = 2,   /* numbers, as the _u64 functions take them                    */
  LFB_KEYS_I32 = 3,   /* 4 bytes, little-endian: Guava's integerFunnel, Parquet's INT32 */
  LFB_KEYS_F32 = 4,   /* a float's 4 bytes, little-endian: Parquet's FLOAT           */
  LFB_KEYS_F64 = 5,   /* a double's 8 bytes, little-endian: Parquet's DOUBLE         */
  LFB_KEYS_UTF16 = 6, /* UTF-16, little-endian: Guava's unencodedCharsFunnel         */
  LFB_KEYS_HEX = 7,   /* bytes, which people write as hexadecimal digits             */
} lfb_key_type;

/* The description of a filter to make.  All zero is the default, except that fpp must be set.
 * (C++ warns of fields that {.fpp = 0.01} omits: lfb_config config = {}; config.fpp = 0.01;) */
typedef struct lfb_config {
  uint64_t expected_insertions; /* n, in distinct keys; 0 counts as 1, or follows from `bytes` */
  double fpp;                   /* p, 0 < fpp < 1, once n keys are present          */
  lfb_strategy_id strategy;     /* how a key becomes bits                           */
  lfb_probes_formula probes_formula; /* for the Guava strategies and java-double    */
  lfb_hash_id hash; /* for the strategies that leave the choice                     */
  uint64_t seed;    /* fast, fast-pair: of XXH3; 0 for a random one; with another hash must be 0.
                       java-double: first seed in the low 32 bits, second in the high 32; 0 for
                       seeds 0 and 1.  Other strategies have no seed: must be 0     */
  uint8_t key[16];  /* of a keyed hash (AES, SipHash-1-3): random bytes, no password.  All 0: the
                       library draws them, and writes them as with keep_key.  Of other hashes it
                       must be 0.  Give `hash`, too, to hash alike without AES instructions  */
  bool keep_key;    /* write a given key into files, too: only their owner can read them (mode at
                       most 0600), since a reader could choose keys that are false positives.
                       Without it any mode is allowed, and lfb_read_limits.key opens them    */
  lfb_memory_preference memory_preference; /* for the strategies that have the choice */
  bool lazy_memory;      /* back a page with memory only when it is first touched   */
  bool foldable; /* round the size up, by at most 1/32 or 12 blocks, so that many factors divide it
                    (lfb_filter_fold()): all up to 10 from 950,000 keys at 1 % on (80,640 blocks),
                    fewer in smaller filters.  A filter for 2^i times the keys is then 2^i times as
                    large.  Growing filters ignore it                                          */
  uint32_t file_mode; /* permissions of a new file that processes share (lfbloom/mapped.h),
                         reduced by the umask; 0 for 0600.  If the file holds the hash's key,
                         bits beyond 0600 are ignored                               */
  lfb_key_type key_type; /* written into this library's forms, and found in figures */
  uint64_t copies; /* tags: how often one key may be present at once (lfbloom/counting.h); 0: once.
                      Other strategies ignore it                                     */
  uint64_t bytes; /* the most that the filter's words may take; 0: no limit.  If n is 0, it becomes
                     the most keys that fit at p; otherwise p rises until n keys fit.  lfb_stats
                     has n and p then: without `bytes` they give the same size.  Refused by growing
                     filters, and by counting filters of other strategies than tags  */
  uint64_t reserved[6]; /* must be 0 (lfbloom/status.h) */
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
  LFB_FORM_MILVUS = 5, /* strategy sbbf as Milvus' membership_match takes it, of up to 128 MiB:
                          says that the keys are 64-bit numbers and text            */
  LFB_FORM_MILVUS_INT64 = 6, /* the same, says that they are numbers                */
  LFB_FORM_MILVUS_UTF8 = 7,  /* the same, says that they are text                   */
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
  uint32_t probes;              /* k, bits per key; of tags those of a tag          */
  uint32_t words_per_key;       /* that are near each other: 2, 4 or 8 of fast, 2 for a pair; 4 of
                                   sbbf; 0: a key's bits can be anywhere            */
  lfb_hash_id hash;             /* LFB_HASH_DEFAULT: the strategy has no choice     */
  bool key_kept;                /* the key of a keyed hash is written into files    */
  uint64_t seed;                /* of XXH3, or of java-double; others: 0            */
  uint64_t bytes;               /* of the words that hold the bits                  */
  uint64_t bits_set;            /* exact while no put or claim is running           */
  bool saturated;               /* all reachable bits are set: every answer is "maybe" */
  uint64_t approximate_count;   /* distinct keys that were put, estimated from bits_set;
                                   UINT64_MAX if saturated                          */
  double expected_fpp;          /* probability of a false positive now              */
  uint64_t written;             /* when its file was written, in seconds since 1970; 0 if the
                                   form does not record it                          */
  uint64_t counters_stuck;      /* counters stuck at 15 (lfbloom/counting.h); 0: a plain filter */
  lfb_key_type key_type;        /* what the keys are, as far as it was said         */
  uint64_t copies;              /* tags: of keys that are stored; 0 of others, as below */
  uint64_t slots;               /* tags: places for copies                          */
  uint64_t puts_refused;        /* tags: puts that found no free slot               */
  uint64_t reserved[13]; /* 0 (lfbloom/status.h) */
} lfb_stats;

/*
 * Makes an empty filter.
 *
 * Fails  LFB_ERROR_FPP_TOO_LOW (also for NaN), _FPP_TOO_HIGH, _NO_BITS, _TOO_MANY_PROBES,
 *        _TOO_MANY_BITS, _UNKNOWN_STRATEGY, _UNKNOWN_FORMULA, _UNKNOWN_HASH,
 *        _UNKNOWN_PREFERENCE, _BAD_BYTES, _NO_RANDOM, _NO_MEMORY, _SIZE_OVERFLOW.
 * Owner  the caller, until lfb_filter_free().
 * Reads  LFBLOOM_SIMD from the environment, once per process, as do reading and planning: the best
 *        vectors to use, "none", "aes" (128 bits), "avx2", "avx512"; else what the processor has.
 *        Bits and answers are the same; by "none" the default hash is LFB_HASH_SIPHASH13.
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
 *          (guava-mitz64: three), on one more cache line; if every put is a claim, that of a put.
 * Progress lock-free (head of this file, 3).
 */
LFB_API bool lfb_filter_claim(lfb_filter *filter, const void *bytes, size_t size);

/*
 * Put, query and claim, as the three functions above, for a 64-bit key.  It is hashed as follows:
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
 * Put, query and claim, as lfb_filter_put(), _might_contain() and _claim(), for a key's hash: 64
 * bits that the caller has mixed well.  fast and sbbf use it unchanged, without a seed; for sbbf it
 * is Parquet's XXH64.  Strategies with a wider hash derive the other bits from it, so such a key
 * equals no key that was put in another way.
 */
LFB_API bool lfb_filter_put_hash(lfb_filter *filter, uint64_t hash);
LFB_API bool lfb_filter_might_contain_hash(const lfb_filter *filter, uint64_t hash);
LFB_API bool lfb_filter_claim_hash(lfb_filter *filter, uint64_t hash);

/* What is done with keys of a filter of any kind: lfbloom/any.h. */
typedef enum lfb_verb {
  LFB_PUT = 0,           /* as lfb_filter_put()           */
  LFB_MIGHT_CONTAIN = 1, /* as lfb_filter_might_contain() */
  LFB_CLAIM = 2,         /* as lfb_filter_claim()         */
  LFB_REMOVE = 3,        /* as lfb_counting_remove()      */
} lfb_verb;

/* What an array of keys holds. */
typedef enum lfb_key_kind {
  LFB_BYTES_KEY = 0, /* lfb_keys                                     */
  LFB_U64_KEY = 1,   /* 64-bit keys, as of lfb_filter_put_u64()      */
  LFB_HASH_KEY = 2,  /* 64-bit hashes, as of lfb_filter_put_hash()   */
} lfb_key_kind;

/*
 * Many keys in one call.  The answers are those of one call per key.  The call takes less time,
 * since it fetches the cache lines of later keys while it uses earlier ones.
 *
 * Takes   verb     any but LFB_REMOVE.  Only LFB_MIGHT_CONTAIN does not change the filter.
 *         keys     `count` of this kind.
 *         answers  NULL, or (count + 63) / 64 words that receive answer i in bit i % 64 of word
 *                  i / 64.  Bits after the last answer become 0.  Must not overlap the keys.
 * Returns how many answers are true.
 * Order   If a key occurs twice in a batch, put counts it as new at most once, provided that no
 *         other thread puts it.  A claim of it is won at most once, by any caller; if the
 *         batch wins it, its first occurrence does.
 * Progress, Threads  as for one key.
 */
LFB_API size_t lfb_filter_many(const lfb_filter *filter, lfb_verb verb, const void *keys,
                               size_t count, uint64_t *answers, lfb_key_kind kind);

/* lfb_filter_many() for one verb and one kind of keys, with a type that the compiler checks. */
static inline size_t lfb_filter_put_many(lfb_filter *filter, const lfb_key *keys, size_t count,
                                         uint64_t *answers)
{
  return lfb_filter_many(filter, LFB_PUT, keys, count, answers, LFB_BYTES_KEY);
}
static inline size_t lfb_filter_might_contain_many(const lfb_filter *filter, const lfb_key *keys,
                                                   size_t count, uint64_t *answers)
{
  return lfb_filter_many(filter, LFB_MIGHT_CONTAIN, keys, count, answers, LFB_BYTES_KEY);
}
static inline size_t lfb_filter_put_many_u64(lfb_filter *filter, const uint64_t *keys,
                                             size_t count, uint64_t *answers)
{
  return lfb_filter_many(filter, LFB_PUT, keys, count, answers, LFB_U64_KEY);
}
static inline size_t lfb_filter_might_contain_many_u64(const lfb_filter *filter,
                                                       const uint64_t *keys, size_t count,
                                                       uint64_t *answers)
{
  return lfb_filter_many(filter, LFB_MIGHT_CONTAIN, keys, count, answers, LFB_U64_KEY);
}
static inline size_t lfb_filter_put_many_hash(lfb_filter *filter, const uint64_t *hashes,
                                              size_t count, uint64_t *answers)
{
  return lfb_filter_many(filter, LFB_PUT, hashes, count, answers, LFB_HASH_KEY);
}
static inline size_t lfb_filter_might_contain_many_hash(const lfb_filter *filter,
                                                        const uint64_t *hashes, size_t count,
                                                        uint64_t *answers)
{
  return lfb_filter_many(filter, LFB_MIGHT_CONTAIN, hashes, count, answers, LFB_HASH_KEY);
}

/* Returns answer `i` of a call with many keys, of this header or of any other. */
static inline bool lfb_answer(const uint64_t *answers, size_t i)
{
  return (answers[i / 64] >> (i % 64) & 1) != 0;
}

/*
 * Copies a filter: the keys put before the call, and some of those put during it.  The copy's
 * bit count is that of its own bits.
 *
 * Fails  LFB_ERROR_NO_MEMORY.
 * Owner  the caller, until lfb_filter_free().
 */
LFB_CHECKED lfb_status lfb_filter_copy(const lfb_filter *filter, lfb_filter **copy);

/*
 * Writes the filter's figures now.  Wait-free.
 *
 * Cost   Filter in memory: some microseconds.  Filter in a file (lfbloom/mapped.h): its words are
 *        counted, which takes 10 to 50 us for 1 MiB and about 0.1 s per GiB for large filters.
 */
LFB_API void lfb_filter_stats(const lfb_filter *filter, lfb_stats *stats);

/* What a reader accepts.  All zero, or a NULL pointer, is the default. */
typedef struct lfb_read_limits {
  uint64_t max_bytes; /* of the words, checked before allocation; 0: no limit     */
  const uint8_t *key; /* 16 bytes: the key of the filter's keyed hash; NULL: none, or
                         the one in the file                                      */
  /* receives the damage found (lfbloom/filter_more.h); NULL: not wanted */
  struct lfb_damage *damage;
  bool open_damaged;  /* read damaged words as all ones instead of failing        */
  uint64_t reserved[8]; /* must be 0 (lfbloom/status.h) */
} lfb_read_limits;

/*
 * Writes a filter to a file, atomically and durably: into a temporary file in the same
 * directory, which is synced and renamed; then the directory is synced, if it may be read.
 *
 * Mode   The new file has the permissions of the caller's file that it replaces.  If it replaces
 *        another user's, it has those of a new file, without the ones that file lacked.  It has no
 *        setuid, setgid or sticky bit.  If it holds the key of its hash (lfb_stats.key_kept), its
 *        mode is at most 0600.  Its owner, group, ACL and extended attributes are those of a new
 *        file.
 * Path   If it is a symbolic link, the link's target is replaced.  In a sticky folder that all may
 *        write to, such as /tmp, another user's link, pipe or file is refused (LFB_ERROR_OPEN,
 *        EACCES), unless that user owns the folder or is root.  If it is not a regular file (a
 *        pipe, a terminal), the filter is written to it directly.
 * Races  The folder is opened once, and the file is made and renamed in it.  A user that exchanges
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

LFB_EXTERN_C_END

#endif
