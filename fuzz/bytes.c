/* bytes.c - see bytes.h. */
#include "fuzz/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_must(bool holds, const char *what)
{
  if (holds)
    return;
  (void)fprintf(stderr, "fuzz: this does not hold: %s\n", what);
  abort();
}

void *fuzz_memory(size_t size)
{
  void *memory = malloc(size == 0 ? 1 : size);

  fuzz_must(memory != NULL, "there is memory for the input");
  return memory;
}

fuzz_bytes fuzz_bytes_copy(const void *from, size_t given, size_t size)
{
  const fuzz_bytes copy = {fuzz_memory(size), size};

  if (given > 0)
    memcpy(copy.at, from, given);
  if (size > given)
    memset(copy.at + given, 0, size - given);
  return copy;
}

lfb_status fuzz_bytes_gather(void *to, const void *bytes, size_t size)
{
  fuzz_gathered *all = to;
  const size_t wanted = all->bytes.size + size;

  if (wanted > all->room) {
    all->room = 2 * wanted;
    all->bytes.at = realloc(all->bytes.at, all->room);
    fuzz_must(all->bytes.at != NULL, "there is memory for what is written");
  }
  memcpy(all->bytes.at + all->bytes.size, bytes, size);
  all->bytes.size = wanted;
  return LFB_OK;
}

fuzz_bytes fuzz_bytes_gathered(const fuzz_gathered *all)
{
  const fuzz_bytes exact = fuzz_bytes_copy(all->bytes.at, all->bytes.size, all->bytes.size);

  free(all->bytes.at);
  return exact;
}

void fuzz_bytes_damage(const fuzz_bytes *bytes, size_t from, uint64_t chance)
{
  const size_t first = from + (size_t)(fuzz_mix(chance) % (bytes->size - from));
  const size_t left = bytes->size - first, wanted = 1 + (size_t)(fuzz_mix(chance + 1) % 64);
  const uint64_t mask = 1 + fuzz_mix(chance + 2) % 255;

  for (size_t i = 0; i < (wanted < left ? wanted : left); i++)
    bytes->at[first + i] ^= (unsigned char)mask;
}

uint64_t fuzz_load64(const unsigned char *at)
{
  uint64_t value = 0;

  for (int i = 7; i >= 0; i--)
    value = value << 8 | at[i];
  return value;
}

void fuzz_store64(unsigned char *at, uint64_t value)
{
  for (int i = 0; i < 8; i++, value >>= 8)
    at[i] = (unsigned char)value;
}

uint64_t fuzz_mix(uint64_t x)
{
  x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
  x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return x ^ x >> 33;
}
