/*
 * counting.c - the counting filter; argued in lfbloom/counting.h.
 *
 * Floor 14.
 *
 * Counter i stands for bit i of the plain filter: 16 counters a word, so that the four
 * words of a bit word's counters are half a line, and a block of fast is 4 lines.  Placing
 * words of different groups in one line would save a fast key of two words a quarter of a
 * line on average, and of four one line of four, at the price of a permutation in each
 * conversion: not done.  Spreading a counter over four words as single bits would make a
 * block's part 8 words, but no compare-and-exchange could change a counter whole.
 */
#define _DEFAULT_SOURCE /* sched_yield, for the planted bug */
#include <lfbloom/counting.h>
#include <sched.h>
#include <stdlib.h>

#include "atomic/counters.h"
#include "bloom/core.h"
#include "bloom/counting.h"
#include "bloom/pieces.h"
#include "bloom/sink.h"
#include "bloom/strategies.h"

#ifdef LFB_PLANT_UNRESTORED
enum { COUNTING_PLANTED_UNRESTORED = 1 };
#else
enum { COUNTING_PLANTED_UNRESTORED = 0 };
#endif

struct lfb_counting {
  lfb_layout layout;       /* has no words: it says which bits a key would have */
  const lfb_strategy *row; /* that fits the geometry                            */
  uint32_t (*bits_of)(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes);
  lfb_pages pages; /* that hold the words of counters */
  lfb_stripes on, off; /* counters that left 0, and that came back to it */
  lfb_stripes stuck;   /* counters that reached 15                       */
  lfb_description description;
};

enum { COUNTING_WORDS = LFB_WORD_BITS / LFB_COUNTERS_A_WORD }; /* of counters a word of bits */

/* ---- its life ------------------------------------------------------------ */

void lfb_counting_free(lfb_counting *counting)
{
  if (counting == NULL)
    return;
  lfb_stripes_free(&counting->on);
  lfb_stripes_free(&counting->off);
  lfb_stripes_free(&counting->stuck);
  if (counting->pages.address != NULL)
    lfb_pages_free(&counting->pages);
  free(counting);
}

/* What may fail; what was made is freed by lfb_counting_free() either way. */
static lfb_status counting_set_up(lfb_counting *counting, bool lazy)
{
  const uint64_t words = COUNTING_WORDS * counting->description.geometry.word_count;

  lfb_status status = lfb_stripes_init(&counting->on);
  if (status == LFB_OK)
    status = lfb_stripes_init(&counting->off);
  if (status == LFB_OK)
    status = lfb_stripes_init(&counting->stuck);
  if (status == LFB_OK)
    status = lfb_pages_init(&counting->pages, words * sizeof(lfb_word), !lazy);
  return status;
}

lfb_status lfb_counting_create(const lfb_config *config, lfb_counting **counting)
{
  const lfb_stripes none = {0};
  lfb_description description;

  lfb_status status = lfb_core_describe(config, &description);
  if (status != LFB_OK)
    return status;
  lfb_counting *made = malloc(sizeof *made);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (lfb_counting){
      .layout = lfb_core_layout(&description, NULL, none, NULL),
      .row = lfb_core_row(&description),
      .bits_of = lfb_strategy_variant(description.strategy->id, LFB_SIMD_NONE)->bits_of,
      .description = description,
  };
  status = counting_set_up(made, config->lazy_memory);
  if (status != LFB_OK) {
    lfb_counting_free(made);
    return status;
  }
  *counting = made;
  return LFB_OK;
}

const lfb_pages *lfb_counting_pages(const lfb_counting *counting)
{
  return &counting->pages;
}

static lfb_word *counting_words(const lfb_counting *counting)
{
  return counting->pages.address;
}

/* ---- the counters of a key ------------------------------------------------ */

/* Some counters of one word. */
typedef struct counting_place {
  lfb_word *word;
  uint64_t which;
} counting_place;

/*
 * Makes several places in one word one: how many are left.  Which these are hangs on the hash,
 * so that nobody could guess a branch: there is none.
 */
LFB_INLINE uint32_t places_merge(counting_place *places, uint32_t count)
{
  uint32_t kept = 0;

  for (uint32_t i = 0; i < count; i++) {
    const counting_place place = places[i];
    uint32_t first = i;
    for (uint32_t j = i; j-- > 0;)
      first = places[j].word == place.word ? j : first;
    places[i].which = 0;
    places[first].which |= place.which;
  }
  for (uint32_t i = 0; i < count; i++) {
    places[kept] = places[i];
    kept += places[i].which != 0;
  }
  return kept;
}

/* What is done to a key: a constant to what is inlined. */
typedef enum counting_verb { COUNTING_PUT, COUNTING_ASK, COUNTING_REMOVE } counting_verb;

/*
 * Writes the places of a key and asks for their lines: how many, at most LFB_MAX_PROBES.  To be
 * changed, each word is there once.  In the same order for all who name the key: of those who
 * remove it at once, whoever comes first to a word is first at it, so that one of them gets
 * through.
 */
LFB_INLINE uint32_t counting_find(const lfb_counting *counting, counting_verb verb,
                                  lfb_hash hash, counting_place *places)
{
  uint64_t indexes[LFB_MAX_PROBES];
  const uint32_t bits = counting->bits_of(&counting->layout, hash, indexes);

  for (uint32_t i = 0; i < bits; i++) {
    lfb_word *word = counting_words(counting) + indexes[i] / LFB_COUNTERS_A_WORD;
    if (verb == COUNTING_ASK)
      lfb_prefetch_read((const void *)word);
    else
      lfb_prefetch_write((const void *)word);
    places[i].word = word;
    places[i].which = UINT64_C(1) << (LFB_COUNTER_BITS * (indexes[i] % LFB_COUNTERS_A_WORD));
  }
  return verb == COUNTING_ASK ? bits : places_merge(places, bits);
}

/* What has been done to counters, to be counted once it has. */
typedef struct counting_tally {
  uint32_t on, off, stuck;
} counting_tally;

static void tally_raised(counting_tally *tally, lfb_counters_step step)
{
  const uint64_t on = lfb_counters_above_0(step.after) & ~lfb_counters_above_0(step.before);
  const uint64_t stuck = lfb_counters_stuck(step.after) & ~lfb_counters_stuck(step.before);

  tally->on += lfb_counters_count(on);
  if (__builtin_expect(stuck != 0, 0))
    tally->stuck += lfb_counters_count(stuck);
}

static void tally_lowered(counting_tally *tally, lfb_counters_step step)
{
  tally->off += lfb_counters_count(lfb_counters_above_0(step.before) &
                                   ~lfb_counters_above_0(step.after));
}

static void tally_add(const lfb_stripes *stripes, uint32_t amount)
{
  if (amount > 0)
    lfb_stripes_add(stripes, amount);
}

static void counting_count(const lfb_counting *counting, const counting_tally *tally)
{
  tally_add(&counting->on, tally->on);
  tally_add(&counting->off, tally->off);
  tally_add(&counting->stuck, tally->stuck);
}

static void places_raise(const counting_place *places, uint32_t count, counting_tally *tally)
{
  for (uint32_t i = 0; i < count; i++)
    tally_raised(tally, lfb_counters_raise(places[i].word, places[i].which));
}

/* Lowers all of them, or, as far as others do not look on, none. */
static bool places_lower(const counting_place *places, uint32_t count, counting_tally *tally)
{
  for (uint32_t i = 0; i < count; i++) {
    lfb_counters_step step;
    if (!lfb_counters_lower(places[i].word, places[i].which, &step)) {
      if (!COUNTING_PLANTED_UNRESTORED)
        places_raise(places, i, tally);
      return false;
    }
    tally_lowered(tally, step);
    if (COUNTING_PLANTED_UNRESTORED)
      (void)sched_yield();
  }
  return true;
}

/* ---- what is done to a key ------------------------------------------------- */

static bool places_put(const lfb_counting *counting, const counting_place *places,
                       uint32_t count)
{
  counting_tally tally = {0};

  places_raise(places, count, &tally);
  counting_count(counting, &tally);
  return tally.on > 0;
}

/* All words are read, whatever is found: their misses overlap. */
static bool places_above_0(const counting_place *places, uint32_t count)
{
  uint64_t missing = 0;

  for (uint32_t i = 0; i < count; i++)
    missing |= places[i].which & ~lfb_counters_above_0(lfb_word_get(places[i].word));
  return missing == 0;
}

/* A key that is surely absent costs no more than to ask for it. */
static bool places_remove(const lfb_counting *counting, const counting_place *places,
                          uint32_t count)
{
  counting_tally tally = {0};

  if (!places_above_0(places, count))
    return false;
  const bool removed = places_lower(places, count, &tally);
  counting_count(counting, &tally);
  return removed;
}

LFB_INLINE bool counting_do(const lfb_counting *counting, counting_verb verb,
                            const counting_place *places, uint32_t count)
{
  return verb == COUNTING_PUT   ? places_put(counting, places, count)
         : verb == COUNTING_ASK ? places_above_0(places, count)
                                : places_remove(counting, places, count);
}

LFB_INLINE bool counting_act(const lfb_counting *counting, counting_verb verb, lfb_hash hash)
{
  counting_place places[LFB_MAX_PROBES];
  return counting_do(counting, verb, places, counting_find(counting, verb, hash, places));
}

/* ---- many keys ------------------------------------------------------------- */

enum {
  COUNTING_ROOM = 512, /* places of the keys whose lines are under way: two keys' at least */
};

/* Keys whose places are known and asked for. */
typedef struct counting_group {
  uint32_t end[LFB_WORD_BITS]; /* of each key's places */
  counting_place places[COUNTING_ROOM];
} counting_group;

static size_t group_most(const lfb_counting *counting)
{
  const size_t fit = (size_t)COUNTING_ROOM / counting->description.geometry.probes;
  return fit < LFB_WORD_BITS ? fit : (size_t)LFB_WORD_BITS;
}

LFB_INLINE void group_find(const lfb_counting *counting, counting_verb verb, const uint64_t *low,
                           const uint64_t *high, size_t count, counting_group *group)
{
  uint32_t at = 0;

  for (size_t i = 0; i < count; i++) {
    const lfb_hash hash = {low[i], high == NULL ? 0 : high[i]};
    at += counting_find(counting, verb, hash, group->places + at);
    group->end[i] = at;
  }
}

/* Does it to up to 64 keys: their answers. */
LFB_INLINE uint64_t counting_word(const lfb_counting *counting, counting_verb verb,
                                  const uint64_t *low, const uint64_t *high, size_t count)
{
  const size_t most = group_most(counting);
  counting_group group;
  uint64_t answer = 0;

  for (size_t first = 0; first < count; first += most) {
    const size_t keys = count - first < most ? count - first : most;
    group_find(counting, verb, low + first, high == NULL ? NULL : high + first, keys, &group);
    for (size_t i = 0, at = 0; i < keys; at = group.end[i++])
      answer |= (uint64_t)counting_do(counting, verb, group.places + at,
                                      group.end[i] - (uint32_t)at)
                << (first + i);
  }
  return answer;
}

/* What the act on a piece needs to know. */
typedef struct counting_many {
  const lfb_counting *counting;
  counting_verb verb;
  uint64_t *answers; /* NULL: not wanted */
} counting_many;

static size_t counting_many_act(const void *context, const uint64_t *low, const uint64_t *high,
                                size_t first, size_t count)
{
  const counting_many *m = context;
  size_t yes = 0;

  for (size_t at = 0; at < count; at += LFB_WORD_BITS) {
    const size_t left = count - at;
    const uint64_t answer =
        counting_word(m->counting, m->verb, low + at, high == NULL ? NULL : high + at,
                      left < LFB_WORD_BITS ? left : (size_t)LFB_WORD_BITS);
    if (m->answers != NULL)
      m->answers[(first + at) / LFB_WORD_BITS] = answer;
    yes += lfb_word_count(answer);
  }
  return yes;
}

LFB_INLINE size_t counting_pieces(const lfb_counting *counting, counting_verb verb,
                                  const void *keys, size_t count, uint64_t *answers,
                                  lfb_piece_hash hash_of)
{
  const counting_many m = {counting, verb, answers};
  return lfb_pieces_best(counting->row, &counting->layout.hasher, keys, count, hash_of,
                         counting_many_act, &m);
}

/* ---- figures, and the plain filter ------------------------------------------ */

void lfb_counting_stats(const lfb_counting *counting, lfb_stats *stats)
{
  /* What left 0 and came back is in both sums once nothing is running. */
  const uint64_t off = lfb_stripes_sum(&counting->off);
  const uint64_t on = lfb_stripes_sum(&counting->on);

  lfb_core_stats(&counting->description, on > off ? on - off : 0, stats);
  stats->bytes = counting->pages.size;
  stats->counters_stuck = lfb_stripes_sum(&counting->stuck);
}

/* The bits that counters stand for: those of one word. */
static uint64_t counting_bits(const lfb_word *counters)
{
  uint64_t bits = 0;

  for (uint32_t i = 0; i < COUNTING_WORDS; i++)
    bits |= lfb_counters_gather(lfb_counters_above_0(lfb_word_get(&counters[i])))
            << (LFB_COUNTERS_A_WORD * i);
  return bits;
}

static void counting_fill(const lfb_counting *counting, const lfb_filter *filter)
{
  const lfb_bits *bits = &filter->layout.bits;
  uint64_t set = 0;

  for (uint64_t i = 0; i < bits->word_count; i++) {
    const uint64_t word = counting_bits(counting_words(counting) + COUNTING_WORDS * i);
    lfb_word_store_alone(&bits->words[i], word);
    set += lfb_word_count(word);
  }
  lfb_layout_count(&filter->layout, set);
}

lfb_status lfb_counting_to_filter(const lfb_counting *counting, lfb_filter **filter)
{
  const lfb_description *description = &counting->description;
  lfb_filter *made;

  const lfb_status status = lfb_core_create(description, description->config.lazy_memory, &made);
  if (status != LFB_OK)
    return status;
  counting_fill(counting, made);
  *filter = made;
  return LFB_OK;
}

/* ---- the calls ---------------------------------------------------------------- */

bool lfb_counting_put(lfb_counting *counting, const void *bytes, size_t size)
{
  return counting_act(counting, COUNTING_PUT,
                      lfb_hasher_bytes(&counting->layout.hasher, bytes, size));
}

bool lfb_counting_put_u64(lfb_counting *counting, uint64_t key)
{
  return counting_act(counting, COUNTING_PUT, lfb_hasher_u64(&counting->layout.hasher, key));
}

bool lfb_counting_put_hash(lfb_counting *counting, uint64_t hash)
{
  return counting_act(counting, COUNTING_PUT, lfb_hasher_widen(&counting->layout.hasher, hash));
}

bool lfb_counting_put_object(lfb_counting *counting, lfb_funnel funnel, const void *object)
{
  return counting_act(counting, COUNTING_PUT,
                      lfb_sink_hash(&counting->layout.hasher, funnel, object));
}

bool lfb_counting_might_contain(const lfb_counting *counting, const void *bytes, size_t size)
{
  return counting_act(counting, COUNTING_ASK,
                      lfb_hasher_bytes(&counting->layout.hasher, bytes, size));
}

bool lfb_counting_might_contain_u64(const lfb_counting *counting, uint64_t key)
{
  return counting_act(counting, COUNTING_ASK, lfb_hasher_u64(&counting->layout.hasher, key));
}

bool lfb_counting_might_contain_hash(const lfb_counting *counting, uint64_t hash)
{
  return counting_act(counting, COUNTING_ASK, lfb_hasher_widen(&counting->layout.hasher, hash));
}

bool lfb_counting_might_contain_object(const lfb_counting *counting, lfb_funnel funnel,
                                       const void *object)
{
  return counting_act(counting, COUNTING_ASK,
                      lfb_sink_hash(&counting->layout.hasher, funnel, object));
}

bool lfb_counting_remove(lfb_counting *counting, const void *bytes, size_t size)
{
  return counting_act(counting, COUNTING_REMOVE,
                      lfb_hasher_bytes(&counting->layout.hasher, bytes, size));
}

bool lfb_counting_remove_u64(lfb_counting *counting, uint64_t key)
{
  return counting_act(counting, COUNTING_REMOVE, lfb_hasher_u64(&counting->layout.hasher, key));
}

bool lfb_counting_remove_hash(lfb_counting *counting, uint64_t hash)
{
  return counting_act(counting, COUNTING_REMOVE, lfb_hasher_widen(&counting->layout.hasher, hash));
}

bool lfb_counting_remove_object(lfb_counting *counting, lfb_funnel funnel, const void *object)
{
  return counting_act(counting, COUNTING_REMOVE,
                      lfb_sink_hash(&counting->layout.hasher, funnel, object));
}

size_t lfb_counting_put_many(lfb_counting *counting, const lfb_key *keys, size_t count,
                             uint64_t *answers)
{
  return counting_pieces(counting, COUNTING_PUT, keys, count, answers, lfb_piece_bytes);
}

size_t lfb_counting_put_many_u64(lfb_counting *counting, const uint64_t *keys, size_t count,
                                 uint64_t *answers)
{
  return counting_pieces(counting, COUNTING_PUT, keys, count, answers, lfb_piece_u64);
}

size_t lfb_counting_put_many_hash(lfb_counting *counting, const uint64_t *hashes, size_t count,
                                  uint64_t *answers)
{
  return counting_pieces(counting, COUNTING_PUT, hashes, count, answers, lfb_piece_given);
}

size_t lfb_counting_might_contain_many(const lfb_counting *counting, const lfb_key *keys,
                                       size_t count, uint64_t *answers)
{
  return counting_pieces(counting, COUNTING_ASK, keys, count, answers, lfb_piece_bytes);
}

size_t lfb_counting_might_contain_many_u64(const lfb_counting *counting, const uint64_t *keys,
                                           size_t count, uint64_t *answers)
{
  return counting_pieces(counting, COUNTING_ASK, keys, count, answers, lfb_piece_u64);
}

size_t lfb_counting_might_contain_many_hash(const lfb_counting *counting, const uint64_t *hashes,
                                            size_t count, uint64_t *answers)
{
  return counting_pieces(counting, COUNTING_ASK, hashes, count, answers, lfb_piece_given);
}

size_t lfb_counting_remove_many(lfb_counting *counting, const lfb_key *keys, size_t count,
                                uint64_t *answers)
{
  return counting_pieces(counting, COUNTING_REMOVE, keys, count, answers, lfb_piece_bytes);
}

size_t lfb_counting_remove_many_u64(lfb_counting *counting, const uint64_t *keys, size_t count,
                                    uint64_t *answers)
{
  return counting_pieces(counting, COUNTING_REMOVE, keys, count, answers, lfb_piece_u64);
}

size_t lfb_counting_remove_many_hash(lfb_counting *counting, const uint64_t *hashes,
                                     size_t count, uint64_t *answers)
{
  return counting_pieces(counting, COUNTING_REMOVE, hashes, count, answers, lfb_piece_given);
}
