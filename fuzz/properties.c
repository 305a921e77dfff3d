/* properties.c - see properties.h. */
#include "fuzz/properties.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/answers.h"
#include "fuzz/outcomes.h"

/* Whether a filter is written like another one, at about the same time. */
static void check_written_as(const fuzz_reader *reader, const lfb_filter *filter,
                             const fuzz_bytes *other, const char *what)
{
  const fuzz_bytes bytes = fuzz_bytes_written(filter, reader->form);

  fuzz_must(reader->same(other, &bytes), what);
  free(bytes.at);
}

/* 1: every other way gives what the first gave; `written`: NULL if it is not ours. */
static void check_ways(const fuzz_reader *reader, const fuzz_input *input, const fuzz_outcome *first,
                       const fuzz_bytes *written)
{
  for (const fuzz_way *way = reader->ways + 1; way->read != NULL; way++) {
    const fuzz_outcome seen = fuzz_outcome_of(way, input);
    fuzz_outcome_check_same(way, input, first, &seen);
    if (seen.status == LFB_OK && written != NULL)
      check_written_as(reader, seen.made, written, "all ways to read give one filter");
    lfb_filter_free(seen.made);
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
  const fuzz_outcome again = fuzz_outcome_again(reader, *written, false);

  fuzz_must(again.status == LFB_OK && again.taken == written->size,
            "what was written reads again");
  fuzz_must(again.damage.count == 0 && again.damage.bits_missing == 0, "and is whole");
  fuzz_must(fuzz_answers_equal(fuzz_ask(filter, chance), fuzz_ask(again.made, chance)),
            "and answers alike");
  check_written_as(reader, again.made, written, "and is written alike");
  lfb_filter_free(again.made);
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
    const fuzz_outcome refused = fuzz_outcome_again(reader, bytes, false);
    fuzz_must(refused.status == LFB_ERROR_BAD_CHECKSUM && refused.damage.count > 0,
              "damage is found");
  }
  const fuzz_outcome open = fuzz_outcome_again(reader, bytes, true);
  fuzz_must(open.status == LFB_OK, "damaged words open");
  const fuzz_answers before = fuzz_ask(whole, chance), after = fuzz_ask(open.made, chance);
  fuzz_must(fuzz_answers_within(before, after), "no damage makes a maybe a no");
  fuzz_must(reader->fixed > 0 || fuzz_answers_equal(before, after),
            "where damage cannot be seen, opening it changes nothing");
  free(bytes.at);
  const fuzz_bytes mended = fuzz_bytes_written(open.made, reader->form);
  check_again(reader, open.made, &mended, chance);
  free(mended.at);
  lfb_filter_free(open.made);
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

static void check_filter(const fuzz_reader *reader, const fuzz_input *input, const fuzz_outcome *seen,
                         const fuzz_bytes *written)
{
  const fuzz_bytes read = {input->file.at, seen->taken};
  lfb_stats stats;

  lfb_filter_stats(seen->made, &stats);
  fuzz_must(stats.form == reader->form, "the filter knows its form");
  check_figures(seen->made, input, &stats);
  check_answers(&stats, fuzz_ask(seen->made, input->chance));
  /* of a damaged filter, the words are others now */
  fuzz_must(input->open_damaged || reader->same(&read, written),
            "what was read is what is written");
  check_again(reader, seen->made, written, input->chance);
  check_copy(reader, seen->made, written);
  fuzz_put(seen->made, input->chance);
  check_damaged(reader, seen->made, input->chance);
}

/* A file that this reader is to read. */
static void check_ours(const fuzz_reader *reader, const fuzz_input *input, const fuzz_outcome *first)
{
  fuzz_outcome_check_damage(reader, input, first);
  if (first->status != LFB_OK) {
    fuzz_outcome_check_refused(reader, first);
    check_ways(reader, input, first, NULL);
    return;
  }
  const fuzz_bytes written = fuzz_bytes_written(first->made, reader->form);
  check_ways(reader, input, first, &written);
  check_filter(reader, input, first, &written);
  free(written.at);
}

bool fuzz_check(const fuzz_reader *reader, const fuzz_input *input, lfb_status *status)
{
  if (reader->check != NULL)
    return reader->check(reader, input, status);
  const fuzz_outcome first = fuzz_outcome_of(reader->ways, input);
  const bool ours = reader->begins(&input->file);
  const lfb_read_limits limits = fuzz_limits_of(input);

  if (ours && reader->use != NULL)
    reader->use(input, &limits, first.status, first.taken);
  if (ours)
    check_ours(reader, input, &first);
  else
    check_ways(reader, input, &first, NULL);
  lfb_filter_free(first.made);
  *status = first.status;
  return ours;
}
