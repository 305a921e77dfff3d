/* properties.c - see properties.h. */
#include "fuzz/properties.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/answers.h"
#include "fuzz/outcomes.h"

/* Property 1: every other way has the outcome of the first.  `written` is NULL if the file was
 * refused, or is not of this reader's form. */
static void check_ways(const fuzz_reader *reader, const fuzz_input *input,
                       const fuzz_outcome *first, const fuzz_bytes *written)
{
  for (const fuzz_way *way = fuzz_ways + 1; way->read != NULL; way++) {
    const fuzz_outcome seen = fuzz_outcome_of(reader, way, input);
    fuzz_outcome_check_same(way, input, first, &seen);
    if (seen.status == LFB_OK && written != NULL)
      fuzz_outcome_check_written(reader, seen.made, written, "all ways to read give one filter");
    if (seen.made != NULL)
      lfb_any_free(fuzz_outcome_any(reader, seen.made));
  }
}

/* ---- plain filters ------------------------------------------------------------------- */

static void check_figures(const fuzz_input *input, const lfb_stats *stats)
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
}

static void check_answers(const lfb_stats *stats, fuzz_answers answers)
{
  if (stats->saturated)
    fuzz_must(fuzz_answers_all(answers, true), "a full filter says maybe to all");
  if (stats->bits_set == 0)
    fuzz_must(fuzz_answers_all(answers, false), "an empty filter says no to all");
}

/* Property 5: the filter's written bytes can be read again. */
static void check_again(const fuzz_reader *reader, const lfb_filter *filter,
                        const fuzz_bytes *written, uint64_t chance)
{
  lfb_filter *again = fuzz_outcome_reread(reader, written);

  fuzz_must(fuzz_answers_equal(fuzz_ask(filter, chance), fuzz_ask(again, chance)),
            "and answers alike");
  lfb_filter_free(again);
}

/* Property 6: a filter with keys is damaged. */
static void check_damaged(const fuzz_reader *reader, const lfb_filter *whole, uint64_t chance)
{
  const fuzz_bytes bytes = fuzz_outcome_written(reader, whole);

  if (reader->fixed > 0)
    fuzz_bytes_damage(&bytes, reader->fixed, chance);
  lfb_filter *open = fuzz_outcome_damaged(reader, &bytes);
  const fuzz_answers before = fuzz_ask(whole, chance), after = fuzz_ask(open, chance);
  fuzz_must(fuzz_answers_within(before, after), "no damage makes a maybe a no");
  fuzz_must(reader->fixed > 0 || fuzz_answers_equal(before, after),
            "where damage cannot be seen, opening it changes nothing");
  free(bytes.at);
  const fuzz_bytes mended = fuzz_outcome_written(reader, open);
  check_again(reader, open, &mended, chance);
  free(mended.at);
  lfb_filter_free(open);
}

/* Copies and merges, which access the words by other code than put and query. */
static void check_copy(const fuzz_reader *reader, const lfb_filter *filter,
                       const fuzz_bytes *written)
{
  lfb_filter *copy;

  fuzz_must(lfb_filter_copy(filter, &copy) == LFB_OK, "it copies");
  fuzz_must(lfb_filter_put_all(copy, filter) == LFB_OK, "it merges with its copy");
  fuzz_outcome_check_written(reader, copy, written, "a copy is written alike");
  lfb_filter_free(copy);
}

static void check_plain(const fuzz_reader *reader, const fuzz_input *input, void *made,
                        size_t taken, const fuzz_bytes *written)
{
  const fuzz_bytes read = {input->file.at, taken};
  lfb_filter *filter = made;
  lfb_stats stats;

  lfb_filter_stats(filter, &stats);
  fuzz_must(stats.form == reader->form, "the filter knows its form");
  check_figures(input, &stats);
  check_answers(&stats, fuzz_ask(filter, input->chance));
  /* a filter opened damaged has other words now */
  fuzz_must(input->open_damaged || reader->same(&read, written),
            "what was read is what is written");
  check_again(reader, filter, written, input->chance);
  check_copy(reader, filter, written);
  fuzz_put(filter, input->chance);
  check_damaged(reader, filter, input->chance);
}

const fuzz_kind fuzz_plain = {LFB_KIND_PLAIN, check_plain};

/* ---- all kinds ----------------------------------------------------------------------- */

/* Checks a file of this reader's form. */
static void check_ours(const fuzz_reader *reader, const fuzz_input *input,
                       const fuzz_outcome *first)
{
  fuzz_outcome_check_damage(reader, input, first);
  if (first->status != LFB_OK) {
    fuzz_outcome_check_refused(reader, first);
    check_ways(reader, input, first, NULL);
    return;
  }
  const fuzz_bytes written = fuzz_outcome_written(reader, first->made);
  check_ways(reader, input, first, &written);
  reader->kind->check(reader, input, first->made, first->taken, &written);
  free(written.at);
}

bool fuzz_check(const fuzz_reader *reader, const fuzz_input *input, lfb_status *status)
{
  const fuzz_outcome first = fuzz_outcome_of(reader, fuzz_ways, input);
  const bool ours = reader->begins(&input->file);
  const lfb_read_limits limits = fuzz_limits_of(input);

  if (ours && reader->use != NULL)
    reader->use(input, &limits, first.status, first.taken);
  if (ours)
    check_ours(reader, input, &first);
  else
    check_ways(reader, input, &first, NULL);
  if (first.made != NULL)
    lfb_any_free(fuzz_outcome_any(reader, first.made));
  *status = first.status;
  return ours;
}
