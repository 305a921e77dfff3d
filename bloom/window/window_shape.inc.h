/*
 * window_shape.inc.h - template: the kernel of a window for one set of instructions and one shape.
 *
 * Before including it, define WINDOW_TARGET and WINDOW_(noun) as for window_kernel.inc.h, and
 *
 *   WINDOW_SHAPE          its layers_shift, block_shift and bits (window_size.h); 0, 0, 0: those of
 *                         the window
 *   WINDOW_PUT, WINDOW_MIGHT_CONTAIN, WINDOW_LAYER_HAS, WINDOW_PUT_MANY, WINDOW_MIGHT_CONTAIN_MANY
 *                         names for its functions
 *   WINDOW_KERNEL         a name for the kernel
 */

WINDOW_TARGET static bool WINDOW_PUT(const lfb_window_view *view, uint64_t hash)
{
  return WINDOW_(change)(lfb_window_shaped(view, WINDOW_SHAPE), hash);
}

WINDOW_TARGET static bool WINDOW_MIGHT_CONTAIN(const lfb_window_view *view, uint64_t hash)
{
  return WINDOW_(query)(lfb_window_shaped(view, WINDOW_SHAPE), hash);
}

WINDOW_TARGET static bool WINDOW_LAYER_HAS(const lfb_window_view *view, uint64_t hash, uint64_t e)
{
  return WINDOW_(query_layer)(lfb_window_shaped(view, WINDOW_SHAPE), hash, e);
}

WINDOW_TARGET static void WINDOW_PUT_MANY(const lfb_window_view *view, const uint64_t *hashes,
                                                  size_t count, uint64_t *answers)
{
  WINDOW_(change_many)(lfb_window_shaped(view, WINDOW_SHAPE), hashes, count, answers);
}

WINDOW_TARGET static void WINDOW_MIGHT_CONTAIN_MANY(const lfb_window_view *view, bool prefetches,
                                                            const uint64_t *hashes, size_t count,
                                                            uint64_t *answers)
{
  WINDOW_(query_many)(lfb_window_shaped(view, WINDOW_SHAPE), prefetches, hashes, count, answers);
}

static const lfb_window_kernel WINDOW_KERNEL = {WINDOW_PUT, WINDOW_MIGHT_CONTAIN,
                                                WINDOW_LAYER_HAS, WINDOW_PUT_MANY,
                                                WINDOW_MIGHT_CONTAIN_MANY};

#undef WINDOW_SHAPE
#undef WINDOW_PUT
#undef WINDOW_MIGHT_CONTAIN
#undef WINDOW_LAYER_HAS
#undef WINDOW_PUT_MANY
#undef WINDOW_MIGHT_CONTAIN_MANY
#undef WINDOW_KERNEL
