/* properties.c - see properties.h. */
#include "fuzz/properties.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/answers.h"

/* The key of tests/golden/native-v1-keyed.lfb. */
static const uint8_t golden_key[16] = {0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
                                       0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf};

/* What reading once came to. */
typedef struct outcome {
  lfb_status status;
  lfb_damage damage; /* all 0 if it was not asked for */
  lfb_filter *filter; /* NULL where it was refused    */
  size_t taken;
} outcome;

static lfb_read_limits limits_of(const fuzz_input *input)
{
  return (lfb_read_limits){.max_bytes = input->max_bytes,
                           .key = input->with_key ? golden_key : NULL,
                           .open_damaged = input->open_damaged};
}

static outcome outcome_of(const fuzz_way *way, const fuzz_input *input)
{
  static char nobody; /* stands for whatever the caller had there before */
  lfb_filter *const before = (lfb_filter *)(void *)&nobody;
  outcome seen = {.filter = before};

  memset(&seen.damage, 0xee, sizeof seen.damage);
  lfb_read_limits limits = limits_of(input);
  limits.damage = input->wants_damage ? &seen.damage : NULL;
  seen.status = way->read(input, &limits, &seen.filter, &seen.taken);
  fuzz_must((seen.status == LFB_OK) == (seen.filter != before),
            "an output is written on success, and then only");
  if (seen.status != LFB_OK)
    seen.filter = NULL;
  if (!input->wants_damage)
    memset(&seen.damage, 0, sizeof seen.damage);
  return seen;
}

/* Reads bytes that the library wrote. */
static outcome outcome_again(const fuzz_reader *reader, fuzz_bytes bytes, bool open_damaged)
{
  const fuzz_input input = {
      .file = bytes, .open_damaged = open_damaged, .with_key = true, .wants_damage = true};
  return outcome_of(reader->ways, &input);
}

static uint64_t check_extents(const lfb_damage *damage, size_t file_size)
{
  const lfb_extent none = {0, 0};
  uint64_t end = 0, bytes = 0;

  for (uint64_t i = 0; i < LFB_DAMAGE_LISTED; i++) {
    const lfb_extent *part = &damage->first[i];
    if (i >= damage->count) {
      fuzz_must(memcmp(part, &none, sizeof none) == 0, "no part is listed that is not counted");
      continue;
    }
    fuzz_must(part->size > 0 && part->offset >= end && part->offset <= file_size &&
                  part->size <= file_size - part->offset,
              "damaged parts lie in the file, in order");
    end = part->offset + part->size;
    bytes += part->size;
  }
  return bytes;
}

static void check_damage(const fuzz_reader *reader, const fuzz_input *input, const outcome *seen)
{
  const lfb_damage *damage = &seen->damage;
  const uint64_t listed = check_extents(damage, input->file.size);

  fuzz_must(damage->count <= LFB_DAMAGE_LISTED ? damage->bytes == listed : damage->bytes > listed,
            "the damaged bytes are those of the parts");
  fuzz_must(damage->checked_bytes <= input->file.size && damage->bytes <= damage->checked_bytes,
            "what is damaged was compared, and is there");
  if (reader->fixed == 0)
    fuzz_must(damage->checked_bytes == 0 && damage->bits_missing == 0,
              "where there are no checksums, nothing is compared");
  else if (seen->status == LFB_OK && input->wants_damage)
    fuzz_must(damage->checked_bytes == seen->taken || input->file.size != seen->taken,
              "a whole file is compared as a whole");
  if (reader->fixed > 0 && input->wants_damage && !input->open_damaged)
    fuzz_must((damage->count > 0) == (seen->status == LFB_ERROR_BAD_CHECKSUM),
              "damage and the status agree");
}

/* Whether a filter is written like another one, at about the same time. */
static void check_written_as(const fuzz_reader *reader, const lfb_filter *filter,
                             const fuzz_bytes *other, const char *what)
{
  const fuzz_bytes bytes = fuzz_bytes_written(filter, reader->form);

  fuzz_must(reader->same(other, &bytes), what);
  free(bytes.at);
}

/* 1: every other way gives what the first gave; `written`: NULL if it is not ours. */
static void check_ways(const fuzz_reader *reader, const fuzz_input *input, const outcome *first,
                       const fuzz_bytes *written)
{
  for (const fuzz_way *way = reader->ways + 1; way->read != NULL; way++) {
    const outcome seen = outcome_of(way, input);
    const bool left = first->status == LFB_OK && first->taken < input->file.size;
    fuzz_must(seen.status == (way->takes_all && left ? LFB_ERROR_TRAILING_BYTES : first->status),
              "all ways to read agree");
    fuzz_must(memcmp(&seen.damage, &first->damage, sizeof seen.damage) == 0,
              "all ways to read find the same damage");
    if (seen.status == LFB_OK && written != NULL)
      check_written_as(reader, seen.filter, written, "all ways to read give one filter");
    lfb_filter_free(seen.filter);
  }
}

static void check_figures(const lfb_filter *filter, const fuzz_input *input, const lfb_stats *stats)
{
  fuzz_must(stats->bit_count > 0 && stats->bytes >= (stats->bit_count - 1) / 8 + 1 &&
                stats->bits_set <= stats->bit_count && stats->reachable_bits <= stats->bit_count &&
                stats->probes >= 1 && stats->probes <= 255,
            "the figures fit one another");
  fuzz_must(input->max_bytes == 0 || stats->bytes <= input->max_bytes, "the limit is kept");
  fuzz_must(stats->expected_fpp >= 0 && stats->expected_fpp <= 1 && stats->fpp >= 0 &&
                stats->fpp < 1,
            "probabilities are");
  fuzz_must(stats->saturated == (stats->approximate_count == UINT64_MAX),
            "only a full filter has no count");
  fuzz_must(lfb_label_check(lfb_filter_label(filter)) == LFB_OK, "the label is one");
}

static void check_answers(const lfb_stats *stats, fuzz_answers answers)
{
  if (stats->saturated)
    fuzz_must(fuzz_answers_all(answers, true), "a full filter says maybe to all");
  if (stats->bits_set == 0)
    fuzz_must(fuzz_answers_all(answers, false), "an empty filter says no to all");
}

/* 5: what is written of a filter. */
static void check_again(const fuzz_reader *reader, const lfb_filter *filter,
                        const fuzz_bytes *written, uint64_t chance)
{
  const outcome again = outcome_again(reader, *written, false);

  fuzz_must(again.status == LFB_OK && again.taken == written->size,
            "what was written reads again");
  fuzz_must(again.damage.count == 0 && again.damage.bits_missing == 0, "and is whole");
  fuzz_must(fuzz_answers_equal(fuzz_ask(filter, chance), fuzz_ask(again.filter, chance)),
            "and answers alike");
  check_written_as(reader, again.filter, written, "and is written alike");
  lfb_filter_free(again.filter);
}

/* Changes some of the bytes that may be damaged, each of the changed ones surely. */
static void damage_bytes(const fuzz_reader *reader, const fuzz_bytes *bytes, uint64_t chance)
{
  const size_t from = reader->fixed + (size_t)(fuzz_mix(chance) % (bytes->size - reader->fixed));
  const size_t left = bytes->size - from, wanted = 1 + (size_t)(fuzz_mix(chance + 1) % 64);
  const uint64_t mask = 1 + fuzz_mix(chance + 2) % 255;

  for (size_t i = 0; i < (wanted < left ? wanted : left); i++)
    bytes->at[from + i] ^= (unsigned char)mask;
}

/* 6: what a filter with keys in it is when damaged. */
static void check_damaged(const fuzz_reader *reader, const lfb_filter *whole, uint64_t chance)
{
  const fuzz_bytes bytes = fuzz_bytes_written(whole, reader->form);

  if (reader->fixed > 0) {
    damage_bytes(reader, &bytes, chance);
    const outcome refused = outcome_again(reader, bytes, false);
    fuzz_must(refused.status == LFB_ERROR_BAD_CHECKSUM && refused.damage.count > 0,
              "damage is found");
  }
  const outcome open = outcome_again(reader, bytes, true);
  fuzz_must(open.status == LFB_OK, "damaged words open");
  const fuzz_answers before = fuzz_ask(whole, chance), after = fuzz_ask(open.filter, chance);
  fuzz_must(fuzz_answers_within(before, after), "no damage makes a maybe a no");
  fuzz_must(reader->fixed > 0 || fuzz_answers_equal(before, after),
            "where damage cannot be seen, opening it changes nothing");
  free(bytes.at);
  const fuzz_bytes mended = fuzz_bytes_written(open.filter, reader->form);
  check_again(reader, open.filter, &mended, chance);
  free(mended.at);
  lfb_filter_free(open.filter);
}

/* Copies and merges, which use the words by another way than keys do. */
static void check_copy(const fuzz_reader *reader, const lfb_filter *filter,
                       const fuzz_bytes *written)
{
  lfb_filter *copy;

  fuzz_must(lfb_filter_copy(filter, &copy) == LFB_OK, "it copies");
  fuzz_must(lfb_filter_put_all(copy, filter) == LFB_OK, "it merges with its copy");
  check_written_as(reader, copy, written, "a copy is written alike");
  lfb_filter_free(copy);
}

static void check_filter(const fuzz_reader *reader, const fuzz_input *input, const outcome *seen,
                         const fuzz_bytes *written)
{
  const fuzz_bytes read = {input->file.at, seen->taken};
  lfb_stats stats;

  lfb_filter_stats(seen->filter, &stats);
  fuzz_must(stats.form == reader->form, "the filter knows its form");
  check_figures(seen->filter, input, &stats);
  check_answers(&stats, fuzz_ask(seen->filter, input->chance));
  /* of a damaged filter, the words are others now */
  fuzz_must(input->open_damaged || reader->same(&read, written),
            "what was read is what is written");
  check_again(reader, seen->filter, written, input->chance);
  check_copy(reader, seen->filter, written);
  fuzz_put(seen->filter, input->chance);
  check_damaged(reader, seen->filter, input->chance);
}

static void check_refused(const fuzz_reader *reader, const outcome *seen)
{
  for (const lfb_status *at = reader->refusals; *at != LFB_OK; at++)
    if (*at == seen->status)
      return;
  fuzz_must(false, "it is refused for a reason that is in the table");
}

/* A file that this reader is to read. */
static void check_ours(const fuzz_reader *reader, const fuzz_input *input, const outcome *first)
{
  check_damage(reader, input, first);
  if (first->status != LFB_OK) {
    check_refused(reader, first);
    check_ways(reader, input, first, NULL);
    return;
  }
  const fuzz_bytes written = fuzz_bytes_written(first->filter, reader->form);
  check_ways(reader, input, first, &written);
  check_filter(reader, input, first, &written);
  free(written.at);
}

bool fuzz_check(const fuzz_reader *reader, const fuzz_input *input, lfb_status *status)
{
  const outcome first = outcome_of(reader->ways, input);
  const bool ours = reader->begins(&input->file);
  const lfb_read_limits limits = limits_of(input);

  if (ours && reader->use != NULL)
    reader->use(input, &limits, first.status, first.taken);
  if (ours)
    check_ours(reader, input, &first);
  else
    check_ways(reader, input, &first, NULL);
  lfb_filter_free(first.filter);
  *status = first.status;
  return ours;
}
