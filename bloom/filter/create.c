/* create.c - makes filters from their parts, and frees them. */
#include "bloom/filter/filter.h"

#include <stdlib.h>

#include "bloom/strategies/strategies.h"

lfb_status lfb_filter_make_over(const lfb_description *description, const lfb_filter_parts *parts,
                              lfb_filter **filter)
{
  lfb_filter *made = aligned_alloc(LFB_CACHE_LINE, sizeof *made);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (lfb_filter){
      .layout =
          lfb_layout_of(description, parts->bytes ? NULL : parts->pages.address, parts->count),
      .kernel =
          lfb_strategy_kernel(description->strategy, &description->geometry, lfb_simd_chosen()),
      .strategy = description->strategy,
      .pages = parts->pages,
      .claims = parts->claims,
      .destroy = parts->destroy,
      .shared = parts->shared,
      .description = *description,
  };
  if (parts->bytes) {
    made->layout.bits = lfb_bit_array_of_bytes(
        parts->pages.address, description->geometry.word_count, parts->big_endian);
    made->kernel = lfb_strategy_bytes_kernel(description->strategy, lfb_simd_chosen());
  }
  *filter = made;
  return LFB_OK;
}

/* Frees the parts of a filter in private memory. */
static void create_destroy(lfb_filter *filter)
{
  lfb_claims_free(&filter->claims);
  lfb_stripes_free(&filter->layout.bits.count);
  lfb_pages_free(&filter->pages);
}

lfb_status lfb_filter_make(const lfb_description *description, const lfb_pages *pages,
                         lfb_filter **filter)
{
  lfb_filter_parts parts = {.pages = *pages, .destroy = create_destroy};

  lfb_status status = lfb_claims_init(&parts.claims, description->strategy->hash_width);
  if (status != LFB_OK)
    return status;
  status = lfb_stripes_init(&parts.count);
  if (status == LFB_OK) {
    status = lfb_filter_make_over(description, &parts, filter);
    if (status != LFB_OK)
      lfb_stripes_free(&parts.count);
  }
  if (status != LFB_OK)
    lfb_claims_free(&parts.claims);
  return status;
}

lfb_status lfb_filter_make_empty(const lfb_description *description, bool lazy, lfb_filter **filter)
{
  lfb_pages pages;

  lfb_status status =
      lfb_pages_init(&pages, description->geometry.word_count * sizeof(lfb_word), !lazy);
  if (status != LFB_OK)
    return status;
  status = lfb_filter_make(description, &pages, filter);
  if (status != LFB_OK)
    lfb_pages_free(&pages);
  return status;
}

lfb_status lfb_filter_create(const lfb_config *config, lfb_filter **filter)
{
  lfb_description description;
  const lfb_status status = lfb_description_make(config, &description);

  return status == LFB_OK ? lfb_filter_make_empty(&description, config->lazy_memory, filter)
                          : status;
}

void lfb_filter_free(lfb_filter *filter)
{
  if (filter == NULL)
    return;
  filter->destroy(filter);
  free(filter);
}
