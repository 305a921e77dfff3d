/*
 * lfbloom/filter_more.h - what fewer programs need of a filter: keys that are objects; filters
 * merged, compared and folded; its words; plans; names; writing to and reading from anywhere, with
 * damage.
 *
 * The guarantees are those of lfbloom/filter.h, and its table has which calls may run at once.
 */
#ifndef LFBLOOM_FILTER_MORE_H
#define LFBLOOM_FILTER_MORE_H

#include <lfbloom/filter.h>
#include <lfbloom/sink.h>

LFB_EXTERN_C_BEGIN

/* Put, query and claim an object, as lfb_filter_put(), _might_contain() and _claim() do with the
 * bytes that its funnel gives (lfbloom/sink.h). */
LFB_API bool lfb_filter_put_object(lfb_filter *filter, lfb_funnel funnel, const void *object);
LFB_API bool lfb_filter_might_contain_object(const lfb_filter *filter, lfb_funnel funnel,
                                             const void *object);
LFB_API bool lfb_filter_claim_object(lfb_filter *filter, lfb_funnel funnel, const void *object);

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
 * Full   Nothing refuses to fill `into` beyond what it was made for: the caller compares
 *        expected_fpp of lfb_filter_stats() with fpp.
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

/* An estimate, and its standard error: the truth is at most two of them from the value about 95
 * times in 100.  If nothing can be said, value is NAN and error is INFINITY. */
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
 * Estimates what two filters have in common, from their bits.  They fit as for
 * lfb_filter_put_all(), and have the same number of bits: if not, fold the larger one first
 * (lfb_filter_fold(), `lfbloom fold`).  The two may be one filter.  All keys put before the call
 * are counted; those put during it may be counted wholly, in part or not at all.
 *
 * Unknown  A count is unknown if all bits of its filter are set, or some were set by damage
 *          (lfb_read_limits.open_damaged).  So is each figure that follows from it, and a ratio to
 *          an empty set.  Near saturation the errors are as large as the counts.
 * Errors   bloom/strategies/spread.h has the formula, docs/guide.md how often it held.  The keys
 *          must not have been chosen by their bits.
 * Fails    LFB_ERROR_PROBES_DIFFER, _PROBES_DIFFER_BY_FORMULA, _BIT_COUNT_DIFFERS (also if one
 *          folds to the size of the other), _STRATEGY_DIFFERS, _HASH_DIFFERS: as
 *          lfb_filter_put_all().
 * Progress wait-free; reads each word once, about 0.25 s per GiB of each filter.  Allocates
 * nothing.
 */
LFB_CHECKED lfb_status lfb_filter_compare(const lfb_filter *a, const lfb_filter *b,
                                          lfb_comparison *result);

/*
 * Makes a filter of 1/factor of the size that has all keys: those put before the call, and some of
 * those put during it.  It has exactly the bits of a filter that was made at that size; its false
 * positives are those of that filter.  This one stays as it is.
 *
 * Takes    factor  at least 1.  It must divide the number of blocks (fast: of 16, 64 or 128 bytes
 *                  with 1, 2 or 4 pairs; sbbf: 32); other strategies: the number of 64-bit words,
 *                  if all their bits are used.  lfb_config.foldable makes filters that many factors
 *                  divide.
 * Gives    folded  expected_insertions is this filter's divided by `factor`; fpp and hash
 *                  are the same.  (lfb_stats.fpp is held up to that number of keys.)
 * Fails    LFB_ERROR_CANNOT_FOLD: the factor is 0 or does not divide, or the strategy has one size
 *          only (go-fnv14).  LFB_ERROR_NO_MEMORY.
 * Progress lock-free.
 * Owner    the caller, until lfb_filter_free().
 */
LFB_CHECKED lfb_status lfb_filter_fold(const lfb_filter *filter, uint64_t factor,
                                       lfb_filter **folded);

/*
 * Copies words of the filter, each as of the time when it is read: bit i of the filter is bit i %
 * 64 of word i / 64.  docs/formats.md has the bits that a key has.  Wait-free.
 *
 * Takes   first  index of the first word.  The filter has lfb_stats.bytes / 8 words.
 *         words  receives at most `count` words.
 * Returns how many it copied: fewer than `count` if the filter ends before.
 */
LFB_API size_t lfb_filter_words(const lfb_filter *filter, uint64_t first, uint64_t *words,
                                size_t count);

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
 * of it hashes every key as this one does, on any processor, so that the two can be merged
 * (lfb_filter_put_all()) if their sizes fit.  If the hash is keyed, config.key is the filter's
 * secret from then on.
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
 *        (lfbloom/counting.h opens it), _WINDOW (lfbloom/window.h opens it), _TRUNCATED,
 *        _BAD_STRATEGY, _OLD_FAST, _BAD_PROBES, _BAD_WORD_COUNT, _BAD_HEADER, _BAD_CHECKSUM,
 *        _UNKNOWN_VERSION, _KEY_NEEDED, _WRONG_KEY, _OVER_LIMIT, _NO_MEMORY, or the status that
 *        `read` returned.
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
 * Finds the form of a filter in a regular file by the first bytes alone: what follows may be
 * damaged, and Guava's form has no mark of its own.
 *
 * Fails  LFB_ERROR_OPEN and _READ with the cause in errno, _NOT_REGULAR, _TRUNCATED,
 *        _UNKNOWN_FORM, _GROWING, _GROWING_MAPPED, _COUNTING, _WINDOW.
 */
LFB_CHECKED lfb_status lfb_form_of_file(const char *path, lfb_form *form);

LFB_EXTERN_C_END

#endif
