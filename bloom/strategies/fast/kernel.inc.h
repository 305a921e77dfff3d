/*
 * kernel.inc.h - template: the kernels of `fast`, one for each shape, for one set of instructions.
 *
 * Before including it, define
 *
 *   FAST_TARGET  the target attribute of its functions
 *   FAST_(noun)  the name of an inlined function: avx2_##noun
 *   FAST_ROWS(row)
 *                row(name, put, has, many, turn_on, P, g) for each shape with code of its own: the
 *                functions of its kernel (kernel.h)
 *   FAST_TURNED_ON
 *                if the functions turn_on are defined already
 *
 * and, inlined, of `pairs` and `bits` that are constants,
 *
 *   uint32_t FAST_(put_key)(fast, hash, pairs, bits)      turns on the key's bits; how many
 *   bool     FAST_(has_key)(fast, hash, pairs, bits)      whether all of them are on
 *   uint32_t FAST_(has_8)(fast, hashes, pairs, bits)      the same of eight keys, in bits
 *   uint32_t FAST_(put_8)(fast, hashes, ahead, pairs, bits, turned_on)
 *                                                         turns on the bits of eight keys, and
 *                                                         prefetches eight others; which it changed
 */

/* Eight hashes from `hashes` on, of which `left` are there: the last one is repeated. */
FAST_TARGET LFB_INLINE const uint64_t *FAST_(eight)(const uint64_t *hashes, size_t left,
                                                    uint64_t room[8])
{
  if (__builtin_expect(left >= 8, 1))
    return hashes;
  for (size_t k = 0; k < 8; k++)
    room[k] = hashes[k < left ? k : left - 1];
  return room;
}

/* Adds eight answers, of which `left` are there, to those before them. */
FAST_TARGET LFB_INLINE uint64_t FAST_(answer)(uint64_t *answers, size_t i, uint64_t before,
                                              uint64_t eight, size_t left)
{
  const uint64_t some = left < 8 ? eight & (0xffU >> (8 - left)) : eight;
  return answers[i / LFB_WORD_BITS] =
             (i % LFB_WORD_BITS == 0 ? 0 : before) | some << i % LFB_WORD_BITS;
}

FAST_TARGET LFB_INLINE void FAST_(query_many)(const lfb_fast *fast, bool prefetches,
                                              const uint64_t *hashes, size_t count,
                                              uint64_t *answers, uint32_t pairs, uint32_t bits)
{
  uint64_t answer = 0, room[8];

  for (size_t i = 0; prefetches && i < count && i < LFB_LINES_AHEAD; i++)
    lfb_fast_prefetch(fast, hashes[i], pairs, false);
  for (size_t i = 0; i < count; i += 8) {
    const uint64_t *now = FAST_(eight)(hashes + i, count - i, room);
    if (prefetches && count - i >= LFB_LINES_AHEAD + 8)
      LFB_EACH(k, 0, 8U, 1, lfb_fast_prefetch(fast, now[LFB_LINES_AHEAD + k], pairs, false));
    answer = FAST_(answer)(answers, i, answer, FAST_(has_8)(fast, now, pairs, bits), count - i);
  }
}

FAST_TARGET LFB_INLINE uint64_t FAST_(put_many)(const lfb_fast *fast, const uint64_t *hashes,
                                                size_t count, uint64_t *answers, uint32_t pairs,
                                                uint32_t bits)
{
  uint64_t answer = 0, turned_on = 0, room[8];

  for (size_t i = 0; i < count && i < LFB_LINES_AHEAD; i++)
    lfb_fast_prefetch(fast, hashes[i], pairs, true);
  for (size_t i = 0; i < count; i += 8) {
    const uint64_t *now = FAST_(eight)(hashes + i, count - i, room);
    const uint64_t *ahead = count - i >= LFB_LINES_AHEAD + 8 ? now + LFB_LINES_AHEAD : now;
    const uint32_t changed = FAST_(put_8)(fast, now, ahead, pairs, bits, &turned_on);
    answer = FAST_(answer)(answers, i, answer, changed, count - i);
  }
  return turned_on;
}

#ifndef FAST_TURNED_ON
#define FAST_TURNING_ON(name, put, has, many, turn_on, P, g)                                     \
  FAST_TARGET static uint32_t turn_on(const lfb_layout *layout, lfb_hash hash)                   \
  {                                                                                              \
    return lfb_fast_put(&layout->fast, hash.low, P, g);                                          \
  }
FAST_ROWS(FAST_TURNING_ON)
#undef FAST_TURNING_ON
#endif

#define FAST_KERNEL(name, put, has, many, turn_on, P, g)                                         \
  FAST_TARGET static bool put(const lfb_layout *layout, lfb_hash hash)                           \
  {                                                                                              \
    return lfb_bit_array_add(&layout->bits, FAST_(put_key)(&layout->fast, hash.low, P, g));      \
  }                                                                                              \
  FAST_TARGET static bool has(const lfb_layout *layout, lfb_hash hash)                           \
  {                                                                                              \
    return FAST_(has_key)(&layout->fast, hash.low, P, g);                                        \
  }                                                                                              \
  FAST_TARGET static uint64_t many(const lfb_layout *layout, lfb_kernel_verb verb,               \
                                   const uint64_t *low, const uint64_t *high, size_t count,      \
                                   uint64_t *answers)                                            \
  {                                                                                              \
    const lfb_fast fast = layout->fast; /* a copy, which no write to `answers` can change */     \
    (void)high;                                                                                  \
    if (verb == LFB_KERNEL_PUT)                                                                  \
      return FAST_(put_many)(&fast, low, count, answers, P, g);                                  \
    FAST_(query_many)(&fast, layout->cached < LFB_LINES_NEAR, low, count, answers, P, g);        \
    return 0;                                                                                    \
  }                                                                                              \
  static const lfb_kernel FAST_(kernel_##name) = {put, turn_on, has, many};
FAST_ROWS(FAST_KERNEL)

#undef FAST_TARGET
#undef FAST_
#undef FAST_ROWS
#undef FAST_TURNED_ON
#undef FAST_KERNEL
