/* growing.c - creating, copying and freeing a growing filter; its operations on one key. */
#include <lfbloom/growing.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/growing/layers.h"
#include "bloom/hashing/hasher.h"
#include "bloom/filter/description.h"
#include "bloom/files/mapping.h"
#include "bloom/strategies/fast/fast_key.h"

/* Makes the first layer; the others take their hash from it. */
static lfb_status growing_add_first(lfb_growing *growing)
{
  lfb_description description;
  lfb_filter *filter;

  lfb_status status = lfb_layers_describe(growing, 0, &description);
  if (status == LFB_OK)
    status = lfb_filter_make_empty(&description, growing->config.lazy_memory, &filter);
  return status == LFB_OK ? lfb_layers_add(growing, NULL, filter) : status;
}

lfb_status lfb_growing_end(lfb_growing *made, lfb_status status, lfb_growing **growing)
{
  const int cause = errno;

  if (status == LFB_OK)
    *growing = made;
  else
    lfb_growing_free(made);
  errno = cause;
  return status;
}

lfb_status lfb_growing_create(const lfb_config *config, lfb_growing **growing)
{
  lfb_growing *made;

  lfb_status status = lfb_layers_begin(config, &made);
  if (status != LFB_OK)
    return status;
  return lfb_growing_end(made, growing_add_first(made), growing);
}

/* Copies layers, oldest first, into a growing filter without layers. */
static lfb_status growing_copy_layers(lfb_growing *copy, const lfb_layer *newest)
{
  lfb_status status = LFB_OK;

  for (uint32_t i = 0; status == LFB_OK && i <= newest->number; i++) {
    lfb_filter *filter;
    status = lfb_filter_copy(lfb_layers_at(newest, i)->filter, &filter);
    if (status == LFB_OK)
      status = lfb_layers_add(copy, lfb_layers_known(copy), filter);
  }
  return status;
}

lfb_status lfb_growing_copy(lfb_any any, lfb_any *copy)
{
  const lfb_growing *growing = any.growing;
  const lfb_layer *newest;
  lfb_growing *made;

  lfb_status status = lfb_layers_seen(growing, &newest);
  if (status == LFB_OK)
    status = lfb_layers_begin(&growing->config, &made);
  if (status != LFB_OK)
    return status;
  made->written = growing->written;
  return lfb_growing_end(made, growing_copy_layers(made, newest), &copy->growing);
}

lfb_status lfb_growing_to_plain(lfb_any any, lfb_filter **plain)
{
  const lfb_growing *growing = any.growing;
  const lfb_layer *newest;
  lfb_filter *made;

  lfb_status status = lfb_layers_seen(growing, &newest);
  if (status == LFB_OK)
    status = lfb_filter_copy(growing->first, &made);
  if (status != LFB_OK)
    return status;
  for (const lfb_layer *layer = newest; status == LFB_OK && layer->older != NULL;
       layer = layer->older)
    status = lfb_filter_put_all(made, layer->filter);
  if (status != LFB_OK) {
    lfb_filter_free(made);
    return status;
  }
  *plain = made;
  return LFB_OK;
}

/* ---- one key --------------------------------------------------------------------- */

/* As lfb_layers_seen(); prefetches a hash's lines in the layers that are too large for the cache.
 * Otherwise a call waits for a few layers at a time. */
static lfb_status growing_seen(const lfb_growing *growing, lfb_hash hash,
                               const lfb_layer **newest)
{
  const lfb_status status = lfb_layers_seen(growing, newest);

  for (const lfb_layer *layer = *newest;
       layer != NULL && layer->filter->layout.cached < LFB_LINES_NEAR; layer = layer->older)
    if (layer->filter->layout.fast.pairs > 0)
      lfb_fast_prefetch(&layer->filter->layout.fast, hash.low, layer->filter->layout.fast.pairs,
                        false);
  return status;
}

/* True as well if a layer cannot be opened: the hash may be there. */
static bool growing_has(const lfb_growing *growing, lfb_hash hash)
{
  const lfb_layer *newest;

  return growing_seen(growing, hash, &newest) != LFB_OK || lfb_layers_have(newest, hash);
}

static bool growing_put(lfb_growing *growing, lfb_hash hash)
{
  const lfb_layer *newest;

  (void)growing_seen(growing, hash, &newest);
  return !lfb_layers_have(newest->older, hash) && lfb_layers_put(growing, newest, hash);
}

static bool growing_claim(lfb_growing *growing, lfb_hash hash)
{
  return !growing_has(growing, hash) && lfb_layers_claim(growing, hash);
}

static const lfb_hasher *growing_hasher(const lfb_growing *growing)
{
  return &growing->first->layout.hasher;
}

bool lfb_growing_put(lfb_growing *growing, const void *bytes, size_t size)
{
  return growing_put(growing, lfb_hasher_bytes(growing_hasher(growing), bytes, size));
}

bool lfb_growing_put_u64(lfb_growing *growing, uint64_t key)
{
  return growing_put(growing, lfb_hasher_u64(growing_hasher(growing), key));
}

bool lfb_growing_might_contain(const lfb_growing *growing, const void *bytes, size_t size)
{
  return growing_has(growing, lfb_hasher_bytes(growing_hasher(growing), bytes, size));
}

bool lfb_growing_might_contain_u64(const lfb_growing *growing, uint64_t key)
{
  return growing_has(growing, lfb_hasher_u64(growing_hasher(growing), key));
}

bool lfb_growing_claim(lfb_growing *growing, const void *bytes, size_t size)
{
  return growing_claim(growing, lfb_hasher_bytes(growing_hasher(growing), bytes, size));
}

bool lfb_growing_claim_u64(lfb_growing *growing, uint64_t key)
{
  return growing_claim(growing, lfb_hasher_u64(growing_hasher(growing), key));
}

/* ---- figures ----------------------------------------------------------------------- */

/* Adds what a layer's bits say.  `right` is the logarithm of the probability that no layer so far
 * returns a false positive. */
static void growing_add_stats(const lfb_layer *layer, lfb_growing_figures *stats, double *right)
{
  lfb_stats of_layer = {0};

  lfb_filter_stats(layer->filter, &of_layer);
  stats->bits_set += of_layer.bits_set;
  /* UINT64_MAX: unknown; then the sum is unknown, too */
  if (of_layer.approximate_count > UINT64_MAX - stats->approximate_count)
    stats->approximate_count = UINT64_MAX;
  else
    stats->approximate_count += of_layer.approximate_count;
  *right += log1p(-of_layer.expected_fpp);
}

/* Why no layer follows the newest, if it is full.  `blind` is that of lfb_layers_seen(). */
static lfb_status growing_stuck(const lfb_growing *growing, const lfb_layer *newest,
                                lfb_status blind)
{
  /* relaxed: the status publishes no other data. */
  const uint64_t refused = atomic_load_explicit(&growing->refused, memory_order_relaxed);

  if (blind != LFB_OK || refused == LFB_OK)
    return blind;
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there always is a layer. */
  if (lfb_bit_array_count(&newest->filter->layout.bits) < newest->full_bits)
    return LFB_OK;
  errno = (int)(refused >> 32);
  return (lfb_status)(uint32_t)refused;
}

/* Writes the figures that the layers have without their bits. */
static void growing_plan(const lfb_growing *growing, const lfb_layer *newest,
                         lfb_growing_figures *stats)
{
  *stats = (lfb_growing_figures){
      .strategy = growing->first->strategy->id,
      .first_insertions = growing->config.expected_insertions,
      .fpp = growing->config.fpp,
      .layers = newest->number + 1,
      .hash = lfb_hash_id_of(&growing_hasher(growing)->identity),
      .key_kept = lfb_description_writes_key(&growing->first->description),
      .seed = growing_hasher(growing)->identity.seed,
      .written = growing->written,
  };
  for (const lfb_layer *layer = newest; layer != NULL; layer = layer->older) {
    const lfb_geometry *geometry = &layer->filter->description.geometry;
    stats->bit_count += geometry->bit_count;
    stats->bytes += geometry->word_count * sizeof(lfb_word);
  }
}

void lfb_growing_plan(const lfb_growing *growing, lfb_growing_figures *stats)
{
  growing_plan(growing, lfb_layers_newest(growing), stats);
}

void lfb_growing_stats(const lfb_growing *growing, lfb_growing_figures *stats)
{
  double right = 0; /* a logarithm, so that small probabilities are not lost */
  const lfb_layer *newest;
  const lfb_status blind = lfb_layers_seen(growing, &newest);

  growing_plan(growing, newest, stats);
  for (const lfb_layer *layer = newest; layer != NULL; layer = layer->older)
    growing_add_stats(layer, stats, &right);
  stats->expected_fpp = blind != LFB_OK ? 1 : 0 - expm1(right); /* not -0 */
  stats->stuck = growing_stuck(growing, newest, blind);
}

lfb_status lfb_growing_stuck(const lfb_growing *growing)
{
  const lfb_layer *newest;
  const lfb_status blind = lfb_layers_seen(growing, &newest);

  return growing_stuck(growing, newest, blind);
}
