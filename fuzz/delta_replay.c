/* delta_replay.c - gives delta.c deltas of random keys, whole and with changed bytes, without
 * libFuzzer. */
#include <lfbloom/delta.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROUNDS = 20000, HEADER = 256, CONTROLS = 2, MOST = 24 };

/* A header of zeros, which delta.c mends, with the numbers of bits and the parameters; and a
 * body. */
static void replay_body(uint64_t round)
{
  unsigned char input[CONTROLS + HEADER + MOST] = {(unsigned char)round, 1};
  const uint64_t chance = fuzz_mix(round);
  const size_t size = chance % (MOST + 1);

  input[CONTROLS + 48] = (unsigned char)(chance >> 8 & 7);
  for (size_t i = 0; i < 3; i++)
    input[CONTROLS + 80 + 4 * i] = (unsigned char)((chance >> (16 + 8 * i)) % 9);
  for (size_t i = 0; i < size; i++)
    input[CONTROLS + HEADER + i] = (unsigned char)fuzz_mix(chance + i);
  (void)LLVMFuzzerTestOneInput(input, CONTROLS + HEADER + size % 5);
  (void)LLVMFuzzerTestOneInput(input, CONTROLS + HEADER + size);
}

int main(void)
{
  for (uint64_t round = 0; round < ROUNDS; round++)
    replay_body(round);
  (void)printf("%d deltas\n", 2 * ROUNDS);
  return 0;
}
