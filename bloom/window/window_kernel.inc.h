/*
 * window_kernel.inc.h - template: the kernels of a window, one for each shape, for one set of
 * instructions.
 *
 * Before including it, define
 *
 *   WINDOW_TARGET  the target attribute of its functions
 *   WINDOW_(noun)  the name of an inlined function: window256_##noun
 *   WINDOW_ROWS(row)
 *                  row(number, put, one, many, C, P, g) for each shape with code of its own; `of`
 *                  is the window's view
 *   WINDOW_PUT_DEFINED
 *                  if the functions put are not to be defined here, by
 *                  lfb_window_mask WINDOW_(mask)(view, hash)
 *
 * and, inlined, of a view with a shape that the compiler knows,
 *
 *   bool     WINDOW_(has)(view, hash)      whether a layer has the key's bits
 *   uint32_t WINDOW_(has_8)(view, hashes)  the same of eight keys, in bits
 */

/* Asks for the hashes of whole eights. */
WINDOW_TARGET LFB_INLINE void WINDOW_(eights)(const lfb_window_view *view, bool prefetches,
                                              const uint64_t *hashes, size_t count,
                                              uint64_t *answers)
{
  for (size_t i = 0; prefetches && i < count && i < LFB_LINES_AHEAD; i++)
    lfb_window_prefetch(view, hashes[i]);
  for (size_t i = 0; i + 8 <= count; i += 8) {
    if (prefetches && count - i >= LFB_LINES_AHEAD + 8)
      LFB_EACH(k, 0, 8U, 1, lfb_window_prefetch(view, hashes[i + LFB_LINES_AHEAD + k]));
    lfb_window_answer(answers, i, WINDOW_(has_8)(view, hashes + i));
  }
}

#ifndef WINDOW_PUT_DEFINED
#define WINDOW_PUTS(number, put, one, many, C, P, g)                          \
  WINDOW_TARGET static bool put(const lfb_window_view *of, uint64_t hash)     \
  {                                                                           \
    const lfb_window_view view = lfb_window_shaped(of, C, P, g);              \
    const lfb_window_mask mask = WINDOW_(mask)(&view, hash);                  \
    return lfb_window_put_mask(&view, lfb_window_blocks(&view, hash), &mask); \
  }
WINDOW_ROWS(WINDOW_PUTS)
#undef WINDOW_PUTS
#endif

#define WINDOW_KERNEL(number, put, one, many, C, P, g)                                    \
  WINDOW_TARGET static bool one(const lfb_window_view *of, uint64_t hash)                 \
  {                                                                                       \
    const lfb_window_view view = lfb_window_shaped(of, C, P, g);                          \
    return WINDOW_(has)(&view, hash);                                                     \
  }                                                                                       \
  WINDOW_TARGET static void many(const lfb_window_view *of, bool prefetches,              \
                                 const uint64_t *hashes, size_t count, uint64_t *answers) \
  {                                                                                       \
    const lfb_window_view view = lfb_window_shaped(of, C, P, g);                          \
    WINDOW_(eights)(&view, prefetches, hashes, count, answers);                           \
    for (size_t i = count & ~(size_t)7; i < count; i++)                                   \
      lfb_window_answer(answers, i, one(of, hashes[i]));                                  \
  }                                                                                       \
  static const lfb_window_kernel WINDOW_(kernel_##number) = {put, one, many};
WINDOW_ROWS(WINDOW_KERNEL)

#undef WINDOW_ROWS
#undef WINDOW_TARGET
#undef WINDOW_PUT_DEFINED
#undef WINDOW_
#undef WINDOW_KERNEL
