/*
 * window.c - the window filter: creating and freeing it, advancing, its figures, its calls.
 * lfbloom/window.h has the contract, window.h the layout and the proof.
 */
#define _POSIX_C_SOURCE 200809L
#include "bloom/window/window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "atomic/threads/forks.h"
#include "atomic/words/reserved.h"
#include "bloom/files/mapping.h"

/* ---- creating and freeing -------------------------------------------------- */

/* The number of keys of a generation when it is full. */
static double window_insertions(const lfb_window_config *config)
{
  const uint64_t n = config->expected_insertions;
  return (n == 0 ? 1 : (double)n) / config->generations;
}

bool lfb_window_is_span(double span)
{
  return span >= 0.001 && span <= 1e9; /* not if it is NaN */
}

/* The length of a generation in ns for a span in seconds, rounded up. */
static uint64_t window_length(double span, uint32_t generations)
{
  return span > 0 ? (uint64_t)(span / generations * 1e9) + 1 : 0;
}

__attribute__((cold)) /* compiled for its size, here and below: it runs once */
lfb_status lfb_window_describe(const lfb_window_config *config, lfb_description *description,
                               lfb_window_geometry *geometry)
{
  lfb_config plain = {.expected_insertions = config->expected_insertions,
                      .fpp = config->fpp,
                      .strategy = LFB_FAST,
                      .hash = config->hash,
                      .seed = config->seed,
                      .keep_key = config->keep_key,
                      .memory_preference = config->memory_preference,
                      .lazy_memory = config->lazy_memory,
                      .key_type = config->key_type};

  memcpy(plain.key, config->key, sizeof plain.key);
  if (LFB_RESERVED(config) != LFB_OK)
    return LFB_ERROR_RESERVED;
  geometry->layers_shift = lfb_window_log2(config->generations + 1);
  if (geometry->layers_shift == 0)
    return LFB_ERROR_BAD_GENERATIONS;
  if (config->span != 0 && !lfb_window_is_span(config->span))
    return LFB_ERROR_BAD_SPAN;
  const lfb_status status = lfb_description_make(&plain, description);
  if (status != LFB_OK)
    return status;
  return lfb_window_size(window_insertions(config), config->fpp, config->memory_preference,
                         geometry);
}

/* Chooses the functions for the processor. */
static const lfb_window_kernel *window_kernel(const lfb_window_geometry *geometry)
{
  const uint32_t shape = lfb_window_kernel_of(geometry);

#ifdef LFB_SIMD_X86
  const lfb_simd level = lfb_simd_chosen();
  if (level >= LFB_SIMD_AVX512)
    return lfb_window_kernels512[shape];
  if (level >= LFB_SIMD_AVX2)
    return lfb_window_kernels256[shape];
#endif
  return lfb_window_kernels[shape];
}

static lfb_window_view window_view(const lfb_window_geometry *geometry, lfb_word *words,
                                   lfb_window_head *head)
{
  return (lfb_window_view){
      .words = words,
      .head = head,
      .blocks = geometry->blocks,
      .layers_shift = geometry->layers_shift,
      .pairs = lfb_window_pairs(geometry),
      .bits = geometry->bits,
  };
}

/* The sum at which generation `e` began, as far as it is known, and the generation. */
static uint64_t window_counted(uint64_t sum, uint64_t e)
{
  return sum << LFB_WINDOW_COUNTED_SHIFT | (e & ((1U << LFB_WINDOW_COUNTED_SHIFT) - 1));
}

/* Allocates whole cache lines. */
static void *window_lines(size_t size)
{
  return aligned_alloc(LFB_CACHE_LINE,
                       (size + LFB_CACHE_LINE - 1) / LFB_CACHE_LINE * LFB_CACHE_LINE);
}

/* Makes what is not in a file. */
static lfb_status window_make_own(lfb_window *window, const lfb_window_parts *parts)
{
  const bool counts = window->config.by_insertions;

  if (parts->mapping != NULL) {
    window->head = parts->head;
    window->claims = lfb_claims_forgetting(parts->cells, &parts->head->generation);
    if (counts)
      window->inserted = lfb_stripes_over(parts->stripes);
    return LFB_OK;
  }
  window->head = window_lines(sizeof *window->head);
  if (window->head == NULL)
    return LFB_ERROR_NO_MEMORY;
  memset(window->head, 0, sizeof *window->head);
  const lfb_status status = lfb_claims_init(&window->claims, LFB_HASH_64);
  window->claims = lfb_claims_forgetting(window->claims.cells, &window->head->generation);
  return status == LFB_OK && counts ? lfb_stripes_init(&window->inserted) : status;
}

/* relaxed, all: the caller publishes the window to other threads. */
void lfb_window_resume(lfb_window *window, uint64_t generation, const lfb_window_moment *began)
{
  lfb_window_begins(window->head, generation, began);
  atomic_store_explicit(&window->head->counted, window_counted(0, generation),
                        memory_order_relaxed);
  atomic_store_explicit(&window->head->generation, generation, memory_order_relaxed);
}

/* Now; without a span no moment, so that equal windows have equal files. */
static lfb_window_moment window_moment(const lfb_window *window)
{
  const lfb_window_moment none = {.boottime = 0};
  return window->length == 0 ? none : lfb_window_moment_now();
}

__attribute__((cold))
lfb_status lfb_window_make(const lfb_description *description, const lfb_window_config *config,
                           const lfb_window_geometry *geometry, const lfb_window_parts *parts,
                           lfb_window **window)
{
  lfb_window *made = window_lines(sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (lfb_window){
      .kernel = window_kernel(geometry),
      .cached = (uint32_t)(lfb_simd_cache_size() / lfb_window_bytes(geometry)),
      .hashing = {&made->hasher, description->strategy},
      .description = *description,
      .config = *config,
      .geometry = *geometry,
      .length = window_length(config->span, config->generations),
  };
  const lfb_status status = window_make_own(made, parts);
  if (status != LFB_OK) {
    lfb_window_dispose(made);
    return status;
  }
  made->pages = parts->words;
  made->mapping = parts->mapping;
  made->view = window_view(geometry, made->pages.address, made->head);
  lfb_hasher_init(&made->hasher, &description->hash, lfb_simd_chosen());
  /* Read here also if the window exists: later no call may have to open what tells the boot. */
  const lfb_window_moment now = window_moment(made);
  /* The first generation is C: all before it exist in the arithmetic, and are empty.  relaxed: as
   * there. */
  if (atomic_load_explicit(&made->head->generation, memory_order_relaxed) == 0)
    lfb_window_resume(made, lfb_window_layers(geometry), &now);
  *window = made;
  return LFB_OK;
}

lfb_status lfb_window_create(const lfb_window_config *config, lfb_window **window)
{
  const lfb_window_config chosen = lfb_window_chosen(config);
  lfb_description description;
  lfb_window_geometry geometry;
  lfb_window_parts parts = {.mapping = NULL};

  lfb_status status = lfb_window_describe(&chosen, &description, &geometry);
  if (status == LFB_OK)
    status = lfb_pages_init(&parts.words, lfb_window_bytes(&geometry), !config->lazy_memory);
  if (status != LFB_OK)
    return status;
  status = lfb_window_make(&description, &chosen, &geometry, &parts, window);
  if (status != LFB_OK)
    lfb_pages_free(&parts.words);
  return status;
}

void lfb_window_dispose(lfb_window *window)
{
  if (window->mapping != NULL) {
    lfb_mapping_end(window->mapping);
  } else {
    lfb_claims_free(&window->claims);
    if (window->inserted.stripes != NULL)
      lfb_stripes_free(&window->inserted);
    if (window->pages.address != NULL)
      lfb_pages_free(&window->pages);
    free(window->head);
  }
  free(window);
}

/* ---- advancing --------------------------------------------------------------- */

uint64_t lfb_window_generation(const lfb_window *window)
{
  return lfb_window_now(&window->view);
}

/* Clears a layer.  It writes only words that are not 0: memory that was never used stays unused. */
static void window_clear(const lfb_window_view *view, uint64_t generation)
{
  const uint32_t words = LFB_PAIR_WORDS * view->pairs;
  const uint64_t stride = (uint64_t)words << view->layers_shift;
  lfb_word *block = view->words + lfb_window_layer(view, generation);

  for (uint64_t i = 0; i < view->blocks; i++, block += stride)
    for (uint32_t j = 0; j < words; j++)
      /* relaxed: the generation that is published next orders what is cleared. */
      if (atomic_load_explicit(&block[j], memory_order_relaxed) != 0)
        /* release: a query that reads it sees that it was announced (lfb_window_kept()). */
        atomic_store_explicit(&block[j], 0, memory_order_release);
}

void lfb_window_next(const lfb_window *window, uint64_t from, const lfb_window_moment *begins)
{
  lfb_window_head *head = window->head;

  /* seq_cst, both: in one order with what puts and queries read (lfb_window_now()).  Only the
   * holder of the lock writes them. */
  atomic_store_explicit(&head->cleared, from + 1, memory_order_seq_cst);
  LFB_WINDOW_HAZARD();
  window_clear(&window->view, from + 1);
  LFB_WINDOW_HAZARD();
  lfb_window_begins(head, from + 1, begins);
  atomic_store_explicit(&head->generation, from + 1, memory_order_seq_cst);
}

/* Leaves the flag. */
static void window_leave(lfb_window *window)
{
  /* release: the generation and what it began with. */
  atomic_store_explicit(&window->advancing, 0, memory_order_release);
}

/* Takes the flag.  A child of a fork takes it from a thread of its parent, which cannot be in the
 * child. */
static bool window_enter(lfb_window *window)
{
  const uint64_t here = lfb_forks_process();
  /* relaxed: the exchange decides. */
  uint64_t holder = atomic_load_explicit(&window->advancing, memory_order_relaxed);

  /* acquire: pairs with the release in window_leave(). */
  return holder != here && lfb_cas_u64(&window->advancing, &holder, here, memory_order_acquire);
}

lfb_status lfb_window_lock(lfb_window *window)
{
  if (!window_enter(window))
    return LFB_ERROR_WINDOW_HELD;
  if (window->mapping == NULL)
    return LFB_OK;
  const lfb_status status = lfb_mapping_lock(window->mapping);
  if (status != LFB_OK)
    window_leave(window);
  return status;
}

void lfb_window_unlock(lfb_window *window)
{
  if (window->mapping != NULL)
    lfb_mapping_unlock(window->mapping);
  window_leave(window);
}

/* The flag only for what a child still has to open. */
lfb_status lfb_window_prepare_lock(lfb_window *window)
{
  if (window->mapping != NULL && lfb_mapping_owns_lock(window->mapping))
    return lfb_mapping_prepare_lock(window->mapping);
  if (window->mapping == NULL || !window_enter(window))
    return LFB_OK;
  const lfb_status status = lfb_mapping_prepare_lock(window->mapping);
  window_leave(window);
  return status;
}

lfb_status lfb_window_advance(lfb_window *window, uint64_t from)
{
  if (lfb_window_generation(window) != from || from >= LFB_WINDOW_LAST)
    return LFB_ERROR_WRONG_GENERATION;
  LFB_WINDOW_HAZARD();
  lfb_status status = lfb_window_lock(window);
  if (status != LFB_OK)
    return status;
  if (lfb_window_generation(window) == from) { /* under the lock it stays */
    const lfb_window_moment now = window_moment(window);
    lfb_window_next(window, from, &now);
  } else {
    status = LFB_ERROR_WRONG_GENERATION;
  }
  lfb_window_unlock(window);
  return status;
}

/* Begins the next generation if the current one has its share of insertions.  The first sum in a
 * generation begins its count, so that no generation is too short: that of the thread which began
 * the generation, if no other is faster. */
static void window_advance_if_due(lfb_window *window, uint64_t each)
{
  LFB_ATOMIC(uint64_t) *counted = &window->head->counted;
  /* relaxed, all: the sum of another thread is as good, and the advance decides. */
  uint64_t began = atomic_load_explicit(counted, memory_order_relaxed);
  uint64_t e = lfb_window_generation(window);
  uint64_t now = window_counted(lfb_stripes_sum(&window->inserted), e);

  if (((now ^ began) & window_counted(0, UINT64_MAX)) == 0) {
    if ((now - began) >> LFB_WINDOW_COUNTED_SHIFT < each || lfb_window_advance(window, e) != LFB_OK)
      return;
    now = window_counted(lfb_stripes_sum(&window->inserted), e + 1);
  }
  (void)lfb_cas_u64(counted, &began, now, memory_order_relaxed);
}

/* A sum of the stripes reads some 70 cache lines: a thread sums 64 times per generation. */
static uint64_t window_step(uint64_t each)
{
  return each / 64 + 1;
}

/* The keys of a generation when it is full. */
static uint64_t window_each(const lfb_window *window)
{
  return (uint64_t)ceil(window_insertions(&window->config));
}

/* Counts puts that turned on bits, and begins the next generation if it is due. */
static void window_inserted(lfb_window *window, uint64_t count)
{
  const uint64_t each = window_each(window), step = window_step(each);
  const uint64_t before = lfb_stripes_fetch_add(&window->inserted, count);

  if (before / step != (before + count) / step)
    window_advance_if_due(window, each);
}

/* ---- figures ------------------------------------------------------------------- */

static void window_plan(const lfb_description *description, const lfb_window_config *config,
                        const lfb_window_geometry *geometry, lfb_window_figures *figures)
{
  *figures = (lfb_window_figures){
      .expected_insertions = description->config.expected_insertions,
      .fpp = description->config.fpp,
      .generations = lfb_window_layers(geometry) - 1,
      .span = config->span,
      .probes = geometry->bits << geometry->block_shift,
      .block_words = 1U << geometry->block_shift,
      .hash = lfb_hash_id_of(&description->hash),
      .key_kept = lfb_description_writes_key(description),
      .generation = lfb_window_layers(geometry),
      .bytes = lfb_window_bytes(geometry),
      .bit_count = lfb_window_layer_bits(geometry),
  };
}

lfb_status lfb_window_config_plan(const lfb_window_config *config, lfb_window_figures *figures)
{
  const lfb_window_config chosen = lfb_window_chosen(config);
  lfb_description description;
  lfb_window_geometry geometry;

  const lfb_status status = lfb_window_describe(&chosen, &description, &geometry);
  if (status == LFB_OK)
    window_plan(&description, &chosen, &geometry, figures);
  return status;
}

/* Adds the bits of each layer to its generation's figures. */
static void window_count_bits(const lfb_window *window, lfb_window_figures *figures)
{
  const lfb_window_geometry *geometry = &window->geometry;
  const uint64_t words = window->pages.size / sizeof(lfb_word);
  uint64_t bits[LFB_WINDOW_LIVE] = {0};

  for (uint64_t i = 0; i < words; i++)
    bits[i >> geometry->block_shift & (lfb_window_layers(geometry) - 1)] +=
        lfb_word_count(lfb_word_get(&window->view.words[i]));
  for (uint32_t age = 0; age < lfb_window_layers(geometry); age++)
    figures->live[age].bits_set =
        bits[(figures->generation - age) & (lfb_window_layers(geometry) - 1)];
}

void lfb_window_plan(const lfb_window *window, lfb_window_figures *figures)
{
  window_plan(&window->description, &window->config, &window->geometry, figures);
  figures->generation = lfb_window_generation(window);
}

__attribute__((cold))
void lfb_window_stats(const lfb_window *window, lfb_window_figures *figures)
{
  const lfb_window_geometry *geometry = &window->geometry;
  double none = 0; /* the logarithm of the probability that no generation answers "maybe" */

  lfb_window_plan(window, figures);
  window_count_bits(window, figures);
  for (uint32_t i = 0; i < lfb_window_layers(geometry); i++) {
    lfb_window_generation_figures *live = &figures->live[i];
    const double keys = lfb_window_count(geometry, live->bits_set);
    live->approximate_count = keys < INFINITY ? (uint64_t)round(keys) : UINT64_MAX;
    none += log1p(-lfb_window_layer_fpp(geometry, keys));
  }
  figures->expected_fpp = 0 - expm1(none); /* not -0 */
}

/* ---- queries ------------------------------------------------------------------- */

__attribute__((cold)) /* a generation has begun during the query */
bool lfb_window_seek(const lfb_window_view *view, uint64_t hash)
{
  for (;;) {
    const uint64_t e = lfb_window_now(view);
    LFB_WINDOW_HAZARD();
    if (lfb_window_look(view, hash, e + 1))
      return true;
    if (lfb_window_now(view) == e)
      return false;
  }
}

static bool window_might_contain(const lfb_window *window, uint64_t hash)
{
  const uint64_t e = lfb_window_now(&window->view);

  LFB_WINDOW_HAZARD();
  return window->kernel->has(&window->view, hash) ||
         (!lfb_window_kept(&window->view, e) && lfb_window_seek(&window->view, hash));
}

static void window_might_contain_many(const lfb_window *window, bool prefetches,
                                      const uint64_t *hashes, size_t count, uint64_t *answers)
{
  const uint64_t e = lfb_window_now(&window->view);

  LFB_WINDOW_HAZARD();
  window->kernel->has_many(&window->view, prefetches, hashes, count, answers);
  if (lfb_window_kept(&window->view, e))
    return;
  for (size_t i = 0; i < count; i++) {
    uint64_t *word = &answers[i / LFB_WORD_BITS];
    if ((*word >> i % LFB_WORD_BITS & 1) == 0)
      *word |= (uint64_t)lfb_window_seek(&window->view, hashes[i]) << i % LFB_WORD_BITS;
  }
}

/* Whether the layer of a generation has a hash. */
static bool window_layer_has(const lfb_window_view *view, uint64_t hash, uint64_t generation)
{
  const lfb_window_mask mask = lfb_window_mask_of(view, hash);
  return lfb_window_has_layer(view, lfb_window_blocks(view, hash), &mask, generation);
}

/* ---- claims -------------------------------------------------------------------- */

/* A claim, for claims.h. */
typedef struct window_claimer {
  lfb_window *window;
  uint64_t looked; /* the generation before the first look */
} window_claimer;

static bool window_second_look(const void *of, lfb_hash hash)
{
  const window_claimer *claimer = of;
  const lfb_window *window = claimer->window;

  return hash.high == claimer->looked
             ? window_layer_has(&window->view, hash.low, hash.high)
             : window_might_contain(window, hash.low);
}

static void window_put_claimed(const void *of, lfb_hash hash)
{
  const lfb_window *window = ((const window_claimer *)of)->window;
  (void)window->kernel->put(&window->view, hash.low);
}

/* Claims a hash that was not found by a look that began in generation `looked`. */
static bool window_claim_absent(lfb_window *window, uint64_t hash, uint64_t looked)
{
  const window_claimer claimer = {window, looked};
  const lfb_claimed in = {&claimer, window_second_look, window_put_claimed};

  LFB_WINDOW_HAZARD();
  return lfb_claims_claim(&window->claims, &in, (lfb_hash){hash, 0});
}

/* ---- the calls ----------------------------------------------------------------- */

static bool window_put(lfb_window *window, uint64_t hash)
{
  const bool changed = window->kernel->put(&window->view, hash);

  if (window->config.by_insertions && changed)
    window_inserted(window, 1);
  return changed;
}

static bool window_claim(lfb_window *window, uint64_t hash)
{
  const uint64_t looked = lfb_window_generation(window);
  const bool won = !window_might_contain(window, hash) &&
                   window_claim_absent(window, hash, looked);

  if (window->config.by_insertions && won)
    window_inserted(window, 1);
  return won;
}

bool lfb_window_put(lfb_window *window, const void *bytes, size_t size)
{
  return window_put(window, lfb_hasher_bytes(&window->hasher, bytes, size).low);
}

bool lfb_window_put_u64(lfb_window *window, uint64_t key)
{
  return window_put(window, lfb_hasher_u64(&window->hasher, key).low);
}

bool lfb_window_claim(lfb_window *window, const void *bytes, size_t size)
{
  return window_claim(window, lfb_hasher_bytes(&window->hasher, bytes, size).low);
}

bool lfb_window_claim_u64(lfb_window *window, uint64_t key)
{
  return window_claim(window, lfb_hasher_u64(&window->hasher, key).low);
}

bool lfb_window_might_contain(const lfb_window *window, const void *bytes, size_t size)
{
  return window_might_contain(window, lfb_hasher_bytes(&window->hasher, bytes, size).low);
}

bool lfb_window_might_contain_u64(const lfb_window *window, uint64_t key)
{
  return window_might_contain(window, lfb_hasher_u64(&window->hasher, key).low);
}

/* ---- many keys ------------------------------------------------------------------- */

enum {
  WINDOW_KEYS = 4096,  /* per call of a kernel: 512 bytes of answers                        */
  WINDOW_CLAIMS = 256, /* per look of claims: their lines stay in the first-level cache, or near */
};

/* The context of an operation on a piece. */
typedef struct window_many {
  lfb_window *window;
  lfb_verb verb;
  uint64_t *answers; /* NULL: not wanted */
} window_many;

/* Claims at most WINDOW_CLAIMS hashes: looks for all, then claims those that are absent. */
static void window_claim_some(lfb_window *window, const uint64_t *hashes, size_t count,
                              uint64_t *answers)
{
  const uint64_t looked = lfb_window_generation(window);

  window_might_contain_many(window, true, hashes, count, answers);
  for (size_t i = 0; i < count; i += LFB_WORD_BITS) {
    uint64_t *word = &answers[i / LFB_WORD_BITS];
    const size_t left = count - i;
    uint64_t absent = ~*word & (left < LFB_WORD_BITS ? (UINT64_C(1) << left) - 1 : UINT64_MAX);
    *word = 0;
    for (; absent != 0; absent &= absent - 1) {
      const uint32_t k = (uint32_t)__builtin_ctzll(absent);
      *word |= (uint64_t)window_claim_absent(window, hashes[i + k], looked) << k;
    }
  }
}

/* Puts of many keys, and where the newest layer was when they began: if a generation begins
 * meanwhile, they prefetch blocks of the layer before. */
typedef struct window_puts {
  const lfb_window *window;
  uint64_t newest; /* as lfb_window_layer() */
} window_puts;

static void window_puts_prefetch(const window_puts *puts, uint64_t hash)
{
  lfb_prefetch_write((const void *)(lfb_window_blocks(&puts->window->view, hash) + puts->newest));
}

static uint64_t window_puts_one(const window_puts *puts, uint64_t hash)
{
  return puts->window->kernel->put(&puts->window->view, hash);
}

#define LINES_TARGET
#define LINES_LOOP window_puts_lines
#define LINES_VIEW window_puts
#include "bloom/strategies/lines.inc.h"

static void window_put_many(const lfb_window *window, const uint64_t *hashes, size_t count,
                            uint64_t *answers)
{
  const window_puts puts = {window, lfb_window_layer(&window->view, lfb_window_now(&window->view))};
  (void)window_puts_lines(&puts, true, hashes, count, answers, window_puts_prefetch,
                          window_puts_one);
}

/* Acts on at most WINDOW_KEYS hashes. */
static void window_act(lfb_window *window, lfb_verb verb, const uint64_t *hashes, size_t count,
                       uint64_t *answers)
{
  switch (verb) {
  case LFB_PUT:
    window_put_many(window, hashes, count, answers);
    break;
  case LFB_MIGHT_CONTAIN:
    window_might_contain_many(window, window->cached < LFB_LINES_NEAR, hashes, count, answers);
    break;
  default: /* LFB_CLAIM */
    for (size_t i = 0; i < count; i += WINDOW_CLAIMS)
      window_claim_some(window, hashes + i, count - i < WINDOW_CLAIMS ? count - i : WINDOW_CLAIMS,
                        answers + i / LFB_WORD_BITS);
  }
}

/* How many hashes to act on at once: a power of two.  A window that counts insertions looks after
 * each step whether its generation is full. */
static size_t window_at_once(const window_many *many)
{
  size_t keys = WINDOW_KEYS;

  if (many->verb != LFB_MIGHT_CONTAIN && many->window->config.by_insertions)
    while (keys > window_step(window_each(many->window)))
      keys /= 2;
  return keys;
}

/* Writes the answers for `count` keys, from key `at` on: whole words, or a part of one word. */
static void window_answer(uint64_t *answers, size_t at, const uint64_t *buffer, size_t count)
{
  uint64_t *into = answers + at / LFB_WORD_BITS;
  const size_t shift = at % LFB_WORD_BITS;

  if (shift == 0)
    memcpy(into, buffer, (count + LFB_WORD_BITS - 1) / LFB_WORD_BITS * sizeof *buffer);
  else /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): count is not 0. */
    *into |= buffer[0] << shift;
}

static size_t window_act_piece(const void *context, const uint64_t *low, const uint64_t *high,
                               size_t first, size_t count)
{
  const window_many *many = context;
  const size_t at_once = window_at_once(many);
  uint64_t buffer[WINDOW_KEYS / LFB_WORD_BITS];
  size_t yes = 0;

  (void)high;
  buffer[0] = 0; /* for the analyzer, which takes `at_once` for 0 */
  for (size_t at = 0; at < count; at += at_once) {
    const size_t left = count - at, keys = left < at_once ? left : at_once;
    window_act(many->window, many->verb, low + at, keys, buffer);
    const size_t true_ones = lfb_piece_yes(buffer, keys);
    if (many->verb != LFB_MIGHT_CONTAIN && many->window->config.by_insertions && true_ones > 0)
      window_inserted(many->window, true_ones);
    if (many->answers != NULL)
      window_answer(many->answers, first + at, buffer, keys);
    yes += true_ones;
  }
  return yes;
}

size_t lfb_window_many(lfb_any any, lfb_verb verb, const void *keys, size_t count,
                       uint64_t *answers, lfb_key_kind kind)
{
  const window_many many = {any.window, verb, answers};
  return lfb_pieces(&any.window->hashing, keys, count, kind, window_act_piece, &many);
}
