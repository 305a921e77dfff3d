/* answers.c - see answers.h. */
#include "fuzz/answers.h"

enum { LONGEST = 152 }; /* bytes of a key: the AES hash has a way of its own beyond 128 */

typedef struct keys {
  unsigned char text[FUZZ_KEYS][LONGEST];
  lfb_key bytes[FUZZ_KEYS];
  uint64_t numbers[FUZZ_KEYS];
} keys;

static void keys_choose(keys *chosen, uint64_t chance)
{
  for (uint64_t i = 0; i < FUZZ_KEYS; i++) {
    const uint64_t number = fuzz_mix(chance + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
    for (uint64_t at = 0; at < LONGEST; at += 8)
      fuzz_store64(chosen->text[i] + at, fuzz_mix(number + at));
    chosen->bytes[i] = (lfb_key){chosen->text[i], 5 * i % (LONGEST + 1)};
    chosen->numbers[i] = number;
  }
}

static void ask_in_turn(const lfb_filter *filter, const keys *of, fuzz_answers *answers)
{
  *answers = (fuzz_answers){0, 0, 0};
  for (size_t i = 0; i < FUZZ_KEYS; i++) {
    const uint64_t bit = UINT64_C(1) << i;
    if (lfb_filter_might_contain(filter, of->bytes[i].bytes, of->bytes[i].size))
      answers->bytes |= bit;
    if (lfb_filter_might_contain_u64(filter, of->numbers[i]))
      answers->numbers |= bit;
    if (lfb_filter_might_contain_hash(filter, of->numbers[i]))
      answers->hashes |= bit;
  }
}

fuzz_answers fuzz_ask(const lfb_filter *filter, uint64_t chance)
{
  keys of;
  fuzz_answers one, many;

  keys_choose(&of, chance);
  ask_in_turn(filter, &of, &one);
  (void)lfb_filter_might_contain_many(filter, of.bytes, FUZZ_KEYS, &many.bytes);
  (void)lfb_filter_might_contain_many_u64(filter, of.numbers, FUZZ_KEYS, &many.numbers);
  (void)lfb_filter_might_contain_many_hash(filter, of.numbers, FUZZ_KEYS, &many.hashes);
  fuzz_must(fuzz_answers_equal(one, many), "many at a time are answered as one by one");
  return one;
}

static uint64_t bits_set(const lfb_filter *filter)
{
  lfb_stats stats;

  lfb_filter_stats(filter, &stats);
  return stats.bits_set;
}

void fuzz_put(lfb_filter *filter, uint64_t chance)
{
  keys of;
  uint64_t new_keys = 0;

  keys_choose(&of, chance);
  const uint64_t before = bits_set(filter);
  for (size_t i = 0; i < FUZZ_KEYS; i++) {
    const bool there = lfb_filter_might_contain(filter, of.bytes[i].bytes, of.bytes[i].size);
    const bool changed = lfb_filter_put(filter, of.bytes[i].bytes, of.bytes[i].size);
    fuzz_must(changed == !there, "put says whether it turned on a bit");
    new_keys += changed;
    (void)lfb_filter_put_hash(filter, of.numbers[i]);
  }
  fuzz_must(bits_set(filter) >= before + new_keys, "the count follows");
  (void)lfb_filter_put_many_u64(filter, of.numbers, FUZZ_KEYS, NULL);
  fuzz_must(fuzz_answers_all(fuzz_ask(filter, chance), true), "what was put is found");
}

bool fuzz_answers_within(fuzz_answers less, fuzz_answers more)
{
  return ((less.bytes & ~more.bytes) | (less.numbers & ~more.numbers) |
          (less.hashes & ~more.hashes)) == 0;
}

bool fuzz_answers_equal(fuzz_answers a, fuzz_answers b)
{
  return a.bytes == b.bytes && a.numbers == b.numbers && a.hashes == b.hashes;
}

bool fuzz_answers_all(fuzz_answers answers, bool maybe)
{
  const uint64_t all = maybe ? UINT64_MAX : 0;
  return fuzz_answers_equal(answers, (fuzz_answers){all, all, all});
}
