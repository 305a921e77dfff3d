/* counting.c - see counting.h. */
#include "fuzz/counting.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/answers.h"
#include "fuzz/outcomes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
  PREFIX = 256, /* bytes before the header, which is as in the native form */
  PREFIX_CHECKSUM = 248,
  WORD_COUNT = 24, /* of the counters, which are not in the native header */
  KEYS = 64,
};

/* ---- the form ------------------------------------------------------------------------ */

bool fuzz_counting_begins(const fuzz_bytes *file)
{
  return file->size >= 6 && memcmp(file->at, "LFBCNT", 6) == 0;
}

void fuzz_counting_mend(const fuzz_bytes *file, fuzz_mend what)
{
  if (what == FUZZ_MEND_NOTHING || file->size < FUZZ_COUNTING_HEADER)
    return;
  const fuzz_bytes header = {file->at + PREFIX, FUZZ_COUNTING_HEADER - PREFIX};
  fuzz_native_mend(&header, FUZZ_MEND_HEADER);
  fuzz_store64(file->at + PREFIX_CHECKSUM, XXH3_64bits(file->at, PREFIX_CHECKSUM));
  if (what == FUZZ_MEND_ALL)
    fuzz_native_mend_words(file, FUZZ_COUNTING_HEADER, fuzz_load64(file->at + WORD_COUNT));
}

bool fuzz_counting_same(const fuzz_bytes *read, const fuzz_bytes *written)
{
  const fuzz_bytes a = {read->at + PREFIX, read->size - PREFIX};
  const fuzz_bytes b = {written->at + PREFIX, written->size - PREFIX};

  return memcmp(read->at, written->at, PREFIX) == 0 && fuzz_native_same(&a, &b);
}

/* ---- the filter ------------------------------------------------------------------------ */

static lfb_any any_of(const lfb_counting *counting)
{
  return fuzz_outcome_any(fuzz_reader_find("counting"), counting);
}

static lfb_filter *plain_of(const lfb_counting *counting)
{
  lfb_filter *plain;

  fuzz_must(lfb_any_to_plain(any_of(counting), &plain) == LFB_OK, "it converts");
  return plain;
}

static fuzz_answers ask(const lfb_counting *counting, uint64_t chance)
{
  lfb_filter *plain = plain_of(counting);
  const fuzz_answers answers = fuzz_ask(plain, chance);

  for (uint64_t i = 0; i < KEYS; i++) {
    const uint64_t key = fuzz_mix(chance + i);
    fuzz_must(lfb_counting_might_contain_u64(counting, key) ==
                  lfb_filter_might_contain_u64(plain, key),
              "it answers as the plain filter that it converts to");
  }
  lfb_filter_free(plain);
  return answers;
}

/* The plain filter that a counting filter converts to can be written and read. */
static void check_plain(const lfb_filter *plain)
{
  const fuzz_reader *native = fuzz_reader_find("native");
  const fuzz_bytes bytes = fuzz_outcome_written(native, plain);

  lfb_filter_free(fuzz_outcome_reread(native, &bytes));
  free(bytes.at);
}

static void check_figures(const lfb_counting *counting, const fuzz_input *input)
{
  lfb_filter *plain = plain_of(counting);
  lfb_stats stats, bits;

  lfb_counting_stats(counting, &stats);
  lfb_filter_stats(plain, &bits);
  fuzz_must(stats.bits_set == bits.bits_set && stats.bit_count == bits.bit_count &&
                stats.bytes == 4 * bits.bytes && stats.expected_fpp == bits.expected_fpp &&
                stats.approximate_count == bits.approximate_count,
            "the figures are those of the plain filter");
  fuzz_must(stats.bits_set <= stats.bit_count && stats.counters_stuck <= stats.bits_set,
            "what is stuck is above 0");
  fuzz_must(input->max_bytes == 0 || stats.bytes <= input->max_bytes, "the limit is kept");
  check_plain(plain);
  lfb_filter_free(plain);
}

static uint64_t stuck(const lfb_counting *counting)
{
  lfb_stats stats;

  lfb_counting_stats(counting, &stats);
  return stats.counters_stuck;
}

/* Puts keys and removes them: if no counter got stuck, the filter is unchanged. */
static void check_keys(const fuzz_reader *reader, lfb_counting *counting,
                       const fuzz_bytes *written, uint64_t chance)
{
  const uint64_t before = stuck(counting);

  for (uint64_t i = 0; i < KEYS; i++) {
    const uint64_t key = fuzz_mix(chance + i);
    fuzz_must(lfb_counting_put_u64(counting, key), "a filter of counters is never full");
  }
  const uint64_t after = stuck(counting);
  for (uint64_t i = 0; i < KEYS; i++)
    fuzz_must(lfb_counting_might_contain_u64(counting, fuzz_mix(chance + i)) &&
                  lfb_counting_remove_u64(counting, fuzz_mix(chance + i)),
              "what is put is found, and given back");
  fuzz_must(stuck(counting) == after && after >= before, "what is stuck stays");
  if (after == before)
    fuzz_outcome_check_written(reader, counting, written,
                               "what was put and taken back leaves nothing");
}

static void check_again(const fuzz_reader *reader, const lfb_counting *counting,
                        const fuzz_bytes *written, uint64_t chance)
{
  lfb_counting *again = fuzz_outcome_reread(reader, written);

  fuzz_must(fuzz_answers_equal(ask(counting, chance), ask(again, chance)), "and answers alike");
  lfb_counting_free(again);
}

static void check_copy(const fuzz_reader *reader, const lfb_counting *counting,
                       const fuzz_bytes *written, uint64_t chance)
{
  const fuzz_answers before = ask(counting, chance);
  lfb_any copy;

  fuzz_must(lfb_any_copy(any_of(counting), &copy) == LFB_OK, "it copies");
  fuzz_outcome_check_written(reader, copy.counting, written, "a copy is written alike");
  fuzz_must(lfb_counting_put_all(copy.counting, counting) == LFB_OK, "it unites with its copy");
  fuzz_must(fuzz_answers_equal(before, ask(copy.counting, chance)), "which has the same keys");
  lfb_any_free(copy);
}

/* Damages the counters, or their checksums, of a filter with keys. */
static void check_damaged(const fuzz_reader *reader, const lfb_counting *whole, uint64_t chance)
{
  const fuzz_bytes bytes = fuzz_outcome_written(reader, whole);

  fuzz_bytes_damage(&bytes, reader->fixed, chance);
  lfb_counting *open = fuzz_outcome_damaged(reader, &bytes);
  fuzz_must(fuzz_answers_within(ask(whole, chance), ask(open, chance)),
            "no damage makes a maybe a no");
  free(bytes.at);
  const fuzz_bytes mended = fuzz_outcome_written(reader, open);
  check_again(reader, open, &mended, chance);
  free(mended.at);
  lfb_counting_free(open);
}

/* ---- tags ------------------------------------------------------------------------------ */

/* Bit i is 1 if key i may be present. */
static uint64_t tags_ask(const lfb_counting *counting, uint64_t chance)
{
  uint64_t keys[KEYS], answers = 0;

  for (uint64_t i = 0; i < KEYS; i++) {
    keys[i] = fuzz_mix(chance + i);
    answers |= (uint64_t)lfb_counting_might_contain_u64(counting, keys[i]) << i;
  }
  uint64_t many = 0;
  (void)lfb_any_many_u64(any_of(counting), LFB_MIGHT_CONTAIN, keys, KEYS, &many);
  fuzz_must(many == answers, "many at a time are answered as one by one");
  return answers;
}

static void tags_check_figures(const lfb_counting *counting, const fuzz_input *input)
{
  lfb_filter *plain;
  lfb_stats stats;

  lfb_counting_stats(counting, &stats);
  fuzz_must(stats.copies <= stats.slots && stats.bits_set == stats.copies * stats.probes &&
                stats.approximate_count == stats.copies && stats.expected_fpp <= 1,
            "the figures are those of the slots");
  fuzz_must(input->max_bytes == 0 || stats.bytes <= input->max_bytes, "the limit is kept");
  fuzz_must(lfb_any_to_plain(any_of(counting), &plain) == LFB_ERROR_TAGS, "it has no bits");
}

/* Puts keys and removes those that found room: what was there before is there again. */
static void tags_check_keys(lfb_counting *counting, uint64_t chance)
{
  const uint64_t before = tags_ask(counting, chance);
  lfb_stats first, last;
  bool stored[KEYS];

  lfb_counting_stats(counting, &first);
  for (uint64_t i = 0; i < KEYS; i++)
    stored[i] = lfb_counting_put_u64(counting, fuzz_mix(chance + i));
  for (uint64_t i = 0; i < KEYS; i++)
    fuzz_must(!stored[i] || (lfb_counting_might_contain_u64(counting, fuzz_mix(chance + i)) &&
                             lfb_counting_remove_u64(counting, fuzz_mix(chance + i))),
              "what is put is found, and given back");
  lfb_counting_stats(counting, &last);
  fuzz_must(tags_ask(counting, chance) == before && last.copies == first.copies,
            "what was put and taken back leaves nothing");
}

static void tags_check(const fuzz_reader *reader, const fuzz_input *input, lfb_counting *counting,
                       const fuzz_bytes *written)
{
  const uint64_t before = tags_ask(counting, input->chance);
  lfb_counting *again = fuzz_outcome_reread(reader, written);
  lfb_any copy;

  tags_check_figures(counting, input);
  fuzz_must(tags_ask(again, input->chance) == before, "and answers alike");
  lfb_counting_free(again);
  fuzz_must(lfb_any_copy(any_of(counting), &copy) == LFB_OK, "it copies");
  fuzz_outcome_check_written(reader, copy.counting, written, "a copy is written alike");
  const lfb_status united = lfb_counting_put_all(copy.counting, counting);
  fuzz_must((united == LFB_OK || united == LFB_ERROR_FULL) &&
                tags_ask(copy.counting, input->chance) == before,
            "united with its copy it has the same keys");
  lfb_any_free(copy);
  tags_check_keys(counting, input->chance);
}

static bool has_tags(const lfb_counting *counting)
{
  lfb_stats stats;

  lfb_counting_stats(counting, &stats);
  return stats.strategy == LFB_TAGS;
}

static void check_counting(const fuzz_reader *reader, const fuzz_input *input, void *made,
                           size_t taken, const fuzz_bytes *written)
{
  const fuzz_bytes read = {input->file.at, taken};

  if (has_tags(made)) {
    fuzz_must(reader->same(&read, written), "what was read is what is written");
    tags_check(reader, input, made, written);
    return;
  }
  check_figures(made, input);
  /* a filter opened damaged has other counters now */
  fuzz_must(input->open_damaged || reader->same(&read, written),
            "what was read is what is written");
  check_again(reader, made, written, input->chance);
  check_copy(reader, made, written, input->chance);
  check_keys(reader, made, written, input->chance);
  check_damaged(reader, made, input->chance);
}

const fuzz_kind fuzz_counting = {LFB_KIND_COUNTING, check_counting};
