/*
 * ways.h - macros that make the three functions of a way from its two calls.
 *
 * `subject` is the first argument of the calls; `filter` in it is the contender's filter.
 * The other arguments name the keys as `keys` and the key's index as i.
 */
#ifndef LFB_BENCH_WAYS_H
#define LFB_BENCH_WAYS_H

#include "bench/contender.h"

/* One key at a time. */
#define SINGLE_WAY(noun, subject, put_one, query_one, ...)                                \
  static size_t noun##_put(void *filter, const lfb_keys *keys, size_t first, size_t count) \
  {                                                                                       \
    const size_t end = first + count;                                                     \
    size_t yes = 0;                                                                       \
    for (size_t i = first; i < end; i++)                                                  \
      yes += put_one(subject, __VA_ARGS__);                                               \
    return yes;                                                                           \
  }                                                                                       \
  static size_t noun##_query(void *filter, const lfb_keys *keys, size_t first, size_t count) \
  {                                                                                       \
    const size_t end = first + count;                                                     \
    size_t yes = 0;                                                                       \
    for (size_t i = first; i < end; i++)                                                  \
      yes += query_one(subject, __VA_ARGS__);                                             \
    return yes;                                                                           \
  }                                                                                       \
  static size_t noun##_mixed(void *filter, const lfb_keys *keys, const lfb_mix *mix)      \
  {                                                                                       \
    size_t ask = mix->ask, yes = 0;                                                       \
    for (size_t put = mix->put; put < mix->put + mix->puts; put++) {                      \
      for (const size_t end = ask + mix->asks_a_put; ask < end; ask++) {                  \
        const size_t i = ask;                                                             \
        yes += query_one(subject, __VA_ARGS__);                                           \
      }                                                                                   \
      const size_t i = put;                                                               \
      yes += put_one(subject, __VA_ARGS__);                                               \
    }                                                                                     \
    return yes;                                                                           \
  }

/* A batch of keys of a kind from `array`, which `many` puts by `verb`: as lfb_filter_many(). */
#define MANY_WAY(noun, many, verb, array, kind)                                           \
  static size_t noun##_put(void *filter, const lfb_keys *keys, size_t first, size_t count) \
  {                                                                                       \
    uint64_t answers[LFB_ACT_MOST / 64];                                                  \
    return many(filter, verb, (array) + first, count, answers, kind);                     \
  }                                                                                       \
  static size_t noun##_query(void *filter, const lfb_keys *keys, size_t first, size_t count) \
  {                                                                                       \
    uint64_t answers[LFB_ACT_MOST / 64];                                                  \
    return many(filter, LFB_MIGHT_CONTAIN, (array) + first, count, answers, kind);        \
  }                                                                                       \
  static size_t noun##_mixed(void *filter, const lfb_keys *keys, const lfb_mix *mix)      \
  {                                                                                       \
    return noun##_query(filter, keys, mix->ask, mix->puts * mix->asks_a_put) +            \
           noun##_put(filter, keys, mix->put, mix->puts);                                 \
  }

/* The row of a way made above, for some uses and for all. */
#define WAY_ROW_FOR(for_what, call, keys_kind, noun) \
  {.name = (call), .kind = (keys_kind), .uses = (for_what), \
   .put = noun##_put, .query = noun##_query, .mixed = noun##_mixed}
#define WAY_ROW(call, keys_kind, noun) WAY_ROW_FOR(LFB_WAY_ALL, call, keys_kind, noun)

#endif
