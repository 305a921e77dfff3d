/*
 * delta.c - fuzzes lfb_delta_apply(): any bytes are refused and change nothing, or turn on bits of
 * the filter, and count them.
 *
 * An input is a strategy, a flag, and a delta.  With the flag its header is that of the filter,
 * except for what it says of the coded bits, and its checksums fit.
 */
#include <lfbloom/delta.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* docs/formats.md */
enum { HEADER = 256, AT_BITS = 48, AT_SIZE = 56, AT_CHECKSUM = 72, AT_PARAMETERS = 80,
      AT_SEAL = 248 };
enum { CONTROLS = 2, MOST_WORDS = 1 << 10 };

static lfb_filter *filter_new(uint8_t choice)
{
  static const lfb_strategy_id strategies[] = {LFB_FAST, LFB_SBBF, LFB_GUAVA_MITZ64,
                                               LFB_JAVA_DOUBLE};
  lfb_config config = {.expected_insertions = 200, .fpp = 0.01, .strategy = strategies[choice % 4]};
  lfb_filter *filter = NULL;

  if (config.strategy == LFB_FAST)
    config.seed = 1;
  fuzz_must(lfb_filter_create(&config, &filter) == LFB_OK, "a filter is made");
  return filter;
}

/* The words of a filter; `*bits` receives how many are set. */
static size_t filter_words(const lfb_filter *filter, uint64_t words[MOST_WORDS], uint64_t *bits)
{
  const size_t count = lfb_filter_words(filter, 0, words, MOST_WORDS);

  *bits = 0;
  for (size_t i = 0; i < count; i++)
    *bits += (uint64_t)__builtin_popcountll(words[i]);
  return count;
}

static fuzz_bytes delta_between(const lfb_filter *earlier, const lfb_filter *later)
{
  fuzz_gathered all = {{NULL, 0}, 0};

  fuzz_must(lfb_delta_write(earlier, later, fuzz_bytes_gather, &all) == LFB_OK,
            "a delta from the empty filter is written");
  return fuzz_bytes_gathered(&all);
}

/* Gives a delta the header of the filter. */
static void delta_mend(const fuzz_bytes *delta, const lfb_filter *filter)
{
  const fuzz_bytes none = delta_between(filter, filter);
  const size_t size = delta->size - HEADER;

  memcpy(delta->at, none.at, AT_BITS);
  fuzz_store64(delta->at + AT_SIZE, size);
  memcpy(delta->at + AT_SIZE + 8, none.at + AT_SIZE + 8, 8);
  fuzz_store64(delta->at + AT_CHECKSUM, XXH3_64bits(delta->at + HEADER, size));
  for (int i = 0; i < 3; i++) {
    unsigned char *parameter = delta->at + AT_PARAMETERS + 4 * i;
    memset(parameter + 1, 0, 3);
    *parameter %= 48; /* above 40: refused */
  }
  memcpy(delta->at + AT_PARAMETERS + 12, none.at + AT_PARAMETERS + 12,
         AT_SEAL - AT_PARAMETERS - 12);
  fuzz_store64(delta->at + AT_SEAL, XXH3_64bits(delta->at, AT_SEAL));
  free(none.at);
}

/* What was applied is brought to another filter by the library's own delta. */
static void check_again(uint8_t choice, const lfb_filter *filter, const uint64_t *words,
                        size_t count, uint64_t bits)
{
  lfb_filter *empty = filter_new(choice), *copy = filter_new(choice);
  const fuzz_bytes delta = delta_between(empty, filter);
  uint64_t turned_on = 0, now[MOST_WORDS], set;

  fuzz_must(lfb_delta_apply(copy, delta.at, delta.size, &turned_on) == LFB_OK && turned_on == bits,
            "a delta that was written turns on all its bits");
  fuzz_must(filter_words(copy, now, &set) == count && memcmp(words, now, 8 * count) == 0,
            "and those only");
  free(delta.at);
  lfb_filter_free(copy);
  lfb_filter_free(empty);
}

static void check_apply(uint8_t choice, lfb_filter *filter, const fuzz_bytes *delta)
{
  uint64_t turned_on = 0, words[MOST_WORDS], bits;
  lfb_stats stats;

  const lfb_status status = lfb_delta_apply(filter, delta->at, delta->size, &turned_on);
  lfb_filter_stats(filter, &stats);
  const size_t count = filter_words(filter, words, &bits);
  fuzz_must(bits == turned_on && bits == stats.bits_set, "each bit is counted");
  fuzz_must(status == LFB_OK || bits == 0, "a delta that is refused changes nothing");
  fuzz_must(stats.bit_count % 64 == 0 || words[count - 1] >> stats.bit_count % 64 == 0,
            "no bit is set after the last one");
  if (status != LFB_OK)
    return;
  fuzz_must(lfb_delta_apply(filter, delta->at, delta->size, &turned_on) == LFB_OK &&
                turned_on == 0,
            "again, it turns on nothing");
  check_again(choice, filter, words, count, bits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < CONTROLS)
    return -1;
  lfb_filter *filter = filter_new(data[0]);
  const fuzz_bytes delta = fuzz_bytes_copy(data + CONTROLS, size - CONTROLS, size - CONTROLS);
  if ((data[1] & 1) != 0 && delta.size >= HEADER)
    delta_mend(&delta, filter);
  check_apply(data[0], filter, &delta);
  free(delta.at);
  lfb_filter_free(filter);
  return 0;
}
