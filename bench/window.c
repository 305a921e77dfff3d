/*
 * window.c - the window filter, to compare with the plain `fast` filter for as many keys per span.
 *
 * At one size it has room for half of the keys.  While it is filled it advances after each third of
 * them, so that all generations but the current one are full.
 */
#include <lfbloom/window.h>

#include "bench/ways.h"
#include "bloom/kinds/window.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

SINGLE_WAY(window_single, filter, lfb_window_put_hash, lfb_window_might_contain_hash,
           keys->numbers[i])
SINGLE_WAY(window_claim, filter, lfb_window_claim_hash, lfb_window_might_contain_hash,
           keys->numbers[i])
MANY_WAY(window_many, lfb_window_put_many_hash, lfb_window_might_contain_many_hash, keys->numbers)

#define WINDOW_WAY(call, noun, for_what)                                               \
  {                                                                                    \
    (call), LFB_KEYS_NUMBERS, (for_what), noun##_put, noun##_query, noun##_mixed, NULL \
  }

static const lfb_way window_ways[] = {
    WINDOW_WAY("single/hash", window_single, LFB_WAY_ALL & ~LFB_WAY_PUT_RACE),
    WINDOW_WAY("many/hash", window_many, LFB_WAY_ALL & ~LFB_WAY_PUT_RACE),
    WINDOW_WAY("claim/hash", window_claim, LFB_WAY_PUT_NEW | LFB_WAY_PUT_PRESENT),
};

static lfb_window_config window_config(uint64_t n, double fpp)
{
  return (lfb_window_config){
      .expected_insertions = n, .fpp = fpp, .generations = 3, .by_insertions = true, .hash = LFB_HASH_XXH3, .seed = 1};
}

static bool window_size(const lfb_contender *contender, uint64_t n, double fpp, uint64_t *bytes)
{
  const lfb_window_config config = window_config(n, fpp);
  lfb_window_figures figures;

  (void)contender;
  if (lfb_window_config_plan(&config, &figures) != LFB_OK)
    return false;
  *bytes = figures.bytes;
  return true;
}

static void *window_create(const lfb_contender *contender, uint64_t n, double fpp)
{
  const lfb_window_config config = window_config(n, fpp);
  lfb_window *window;

  (void)contender;
  return lfb_window_create(&config, &window) == LFB_OK ? window : NULL;
}

static void window_free(void *window)
{
  lfb_window_free(window);
}

/* While it is filled it advances by itself; what is measured does not. */
static void window_copy(void *to, const void *from)
{
  lfb_window *into = to;
  const lfb_window *filled = from;

  memcpy(into->pages.address, filled->pages.address, (size_t)filled->pages.size);
  atomic_store(&into->epoch.number, atomic_load(&filled->epoch.number));
  into->config.by_insertions = false;
}

static void window_fill(void *window, const uint64_t *numbers, size_t count)
{
  (void)lfb_window_put_many_hash(window, numbers, count, NULL);
}

const lfb_contender lfb_own_window = {.name = "window",
                                      .ways = window_ways,
                                      .way_count = COUNT(window_ways),
                                      .strategy = LFB_FAST,
                                      .size = window_size,
                                      .create = window_create,
                                      .free = window_free,
                                      .copy = window_copy,
                                      .fill = window_fill};
