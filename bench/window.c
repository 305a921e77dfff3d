/*
 * window.c - the window filter, to compare with the plain `fast` filter for as many keys per span.
 *
 * At one size it has room for half of the keys.  It advances by itself, so that all n keys are in its
 * four generations: three are full, and the current one nearly.
 */
#include <lfbloom/any.h>

#include "bench/ways.h"
#include "bloom/window/window.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

SINGLE_WAY(window_single, filter, lfb_window_put_u64, lfb_window_might_contain_u64,
           keys->numbers[i])
SINGLE_WAY(window_claim, filter, lfb_window_claim_u64, lfb_window_might_contain_u64,
           keys->numbers[i])

static size_t put_many(lfb_window *window, const uint64_t *numbers, size_t count, uint64_t *answers)
{
  return lfb_any_many_u64((lfb_any){LFB_KIND_WINDOW, {window}}, LFB_PUT, numbers, count, answers);
}

static size_t query_many(lfb_window *window, const uint64_t *numbers, size_t count, uint64_t *answers)
{
  return lfb_any_many_u64((lfb_any){LFB_KIND_WINDOW, {window}}, LFB_MIGHT_CONTAIN, numbers, count, answers);
}

MANY_WAY(window_many, put_many, query_many, keys->numbers)

static const lfb_way window_ways[] = {
    /* A put of a key that an older generation has is new to the current one. */
    WAY_ROW_FOR(LFB_WAY_ASK | LFB_WAY_PUT_NEW | LFB_WAY_MIXED, "single/u64", LFB_KEYS_NUMBERS,
                window_single),
    WAY_ROW_FOR(LFB_WAY_ASK | LFB_WAY_PUT_NEW | LFB_WAY_MIXED, "many/u64", LFB_KEYS_NUMBERS,
                window_many),
    WAY_ROW_FOR(LFB_WAY_PUT_NEW | LFB_WAY_PUT_PRESENT, "claim/u64", LFB_KEYS_NUMBERS,
                window_claim),
};

static lfb_window_config window_config(uint64_t n, double fpp)
{
  return (lfb_window_config){
      .expected_insertions = n / 100 * 78, /* 3 generations of 26 % of the keys, and 22 % */
      .fpp = fpp,
      .generations = 3,
      .by_insertions = true,
      .hash = LFB_HASH_XXH3,
      .seed = 1};
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

/* Copies the generation, too, and how many keys it has. */
static void window_copy(void *to, const void *from)
{
  lfb_window *into = to;
  const lfb_window *filled = from;
  const uint64_t now = lfb_stripes_sum(&filled->inserted), mine = lfb_stripes_sum(&into->inserted);

  memcpy(into->pages.address, filled->pages.address, (size_t)filled->pages.size);
  atomic_store(&into->head->generation, atomic_load(&filled->head->generation));
  atomic_store(&into->head->counted,
               atomic_load(&filled->head->counted) + ((mine - now) << LFB_WINDOW_COUNTED_SHIFT));
}

static void window_fill(void *window, const uint64_t *numbers, size_t count)
{
  (void)lfb_any_many_u64((lfb_any){LFB_KIND_WINDOW, {window}}, LFB_PUT, numbers, count, NULL);
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
