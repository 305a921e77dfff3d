/*
 * lfbloom_core.h - the kernel of lfbloom in two files: one Bloom filter in memory that any number of
 * threads insert into and query at once.  Compile lfbloom_core.c as C11 with your program (gcc or clang);
 * it needs the C library's memory functions and libm, and nothing of an operating system.
 *
 * Bits, answers and guarantees are those of lfbloom for strategy fast with the hash SipHash-1-3: the same
 * n, p and key give the same words (docs/core.md).  Not here: other strategies, hashes and sizes, files,
 * filters that grow, count or forget, and code for vectors.
 *
 * Found      If put(x) or claim(x) returned before might_contain(x) began, in the happens-before sense, the
 *            query returns true.
 * Changed    put returns true if and only if it turned on at least one bit.
 * Claimed    Of all claims of one key, at most one returns true: exactly one, unless the key was a false
 *            positive, came in by a put, or its winner stopped before the claim returned.
 * Progress   Queries are wait-free, put and claim lock-free.  None of them allocates.  A thread that stops in
 *            one blocks no other.
 * At once    Any two calls, except that lfb_core_init() and lfb_core_free() run alone.
 * Order      A query that returns true does not make another thread's writes visible.
 */
#ifndef LFBLOOM_CORE_H
#define LFBLOOM_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The filter. */
typedef struct lfb_core lfb_core;

/* How a key becomes bits; numbers as in lfb_strategy_id. */
typedef enum lfb_core_strategy {
  LFB_CORE_DEFAULT = 0,   /* LFB_CORE_FAST                                              */
  LFB_CORE_FAST_PAIR = 7, /* fast with one pair, at any fpp: a put of a key is a claim  */
  LFB_CORE_FAST = 8,      /* 1, 2 or 4 pairs of words per key, in at most two lines     */
} lfb_core_strategy;

/* The result of a call that can fail; numbers as in lfb_status. */
typedef enum lfb_core_status {
  LFB_CORE_OK = 0,
  LFB_CORE_NO_MEMORY = 1,            /* also: the caller's memory is too small    */
  LFB_CORE_SIZE_OVERFLOW = 2,        /* the size does not fit into the address space */
  LFB_CORE_FPP_TOO_LOW = 10,         /* fpp must be above 0                       */
  LFB_CORE_FPP_TOO_HIGH = 11,        /* fpp must be below 1                       */
  LFB_CORE_TOO_MANY_BITS = 14,
  LFB_CORE_UNKNOWN_STRATEGY = 15,
  LFB_CORE_NO_KEY = 41,              /* config.key is all 0                       */
} lfb_core_status;

typedef struct lfb_core_config {
  uint64_t expected_insertions; /* n, in distinct keys; 0 counts as 1               */
  double fpp;                   /* p, 0 < fpp < 1, once n keys are present          */
  lfb_core_strategy strategy;
  uint8_t key[16]; /* of the hash, not all 0.  16 secret random bytes protect from an attacker who chooses
                      keys; without attackers any constant will do                  */
} lfb_core_config;

/* A key of `size` bytes. */
typedef struct lfb_core_key {
  const void *bytes;
  size_t size;
} lfb_core_key;

typedef enum lfb_core_verb { LFB_CORE_PUT, LFB_CORE_MIGHT_CONTAIN, LFB_CORE_CLAIM } lfb_core_verb;

typedef struct lfb_core_figures {
  uint32_t probes;        /* bits per key            */
  uint32_t words_per_key; /* 2, 4 or 8: its pairs    */
  uint64_t words;         /* of 64 bits              */
  uint64_t bits_set;      /* counted now             */
} lfb_core_figures;

/* Writes the bytes that lfb_core_init() needs for this configuration.  Fails: all but LFB_CORE_NO_MEMORY. */
lfb_core_status lfb_core_size(const lfb_core_config *config, size_t *size);

/* Makes an empty filter in `size` bytes at `memory`, with any alignment and content, which the caller frees
 * when no call uses it. */
lfb_core_status lfb_core_init(const lfb_core_config *config, void *memory, size_t size, lfb_core **core);

/* Makes an empty filter in memory of malloc(), and frees it.  NULL is ignored. */
lfb_core_status lfb_core_create(const lfb_core_config *config, lfb_core **core);
void lfb_core_free(lfb_core *core);

/* A key of bytes; a 64-bit key, which is hashed as its 8 bytes, little-endian; a hash of 64 bits that the
 * caller has mixed well. */
bool lfb_core_put(lfb_core *core, const void *bytes, size_t size);
bool lfb_core_put_u64(lfb_core *core, uint64_t key);
bool lfb_core_put_hash(lfb_core *core, uint64_t hash);
bool lfb_core_might_contain(const lfb_core *core, const void *bytes, size_t size);
bool lfb_core_might_contain_u64(const lfb_core *core, uint64_t key);
bool lfb_core_might_contain_hash(const lfb_core *core, uint64_t hash);
bool lfb_core_claim(lfb_core *core, const void *bytes, size_t size);
bool lfb_core_claim_u64(lfb_core *core, uint64_t key);
bool lfb_core_claim_hash(lfb_core *core, uint64_t hash);

/* Many keys in less time.  `answers` is NULL, or has (count + 63) / 64 words: answer i is bit i % 64 of word
 * i / 64.  Returns how many answers are true. */
size_t lfb_core_many(lfb_core *core, lfb_core_verb verb, const lfb_core_key *keys, size_t count,
                     uint64_t *answers);
size_t lfb_core_many_u64(lfb_core *core, lfb_core_verb verb, const uint64_t *keys, size_t count,
                         uint64_t *answers);

/* Copies words of the filter: at most `count`, from number `first` on.  Returns how many. */
size_t lfb_core_words(const lfb_core *core, uint64_t first, uint64_t *words, size_t count);

/* Turns on the bits of such words: of a filter that was kept, or of another one with the same configuration.
 * Returns as above. */
size_t lfb_core_put_words(lfb_core *core, uint64_t first, const uint64_t *words, size_t count);

void lfb_core_stats(const lfb_core *core, lfb_core_figures *figures);

#ifdef __cplusplus
}
#endif

#endif
