/*
 * hashset.c - a peer of `lfbloom dedupe`: prints each line of a file the first time only, by one thread and a set of
 * 128-bit hashes (XXH3) with open addressing, which doubles when three quarters are taken.
 *
 *     hashset FILE
 */
#define XXH_INLINE_ALL
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { HASHSET_READ = 256 * 1024 };

struct hashset {
  XXH128_hash_t *slots; /* all zero: free */
  size_t mask, count;
};

static void hashset_fail(const char *what)
{
  perror(what);
  exit(2);
}

/* Whether the hash is new; it is in the set then. */
static bool hashset_insert(struct hashset *set, XXH128_hash_t hash)
{
  size_t i = hash.low64 & set->mask;

  for (; (set->slots[i].low64 | set->slots[i].high64) != 0; i = (i + 1) & set->mask)
    if (XXH128_isEqual(set->slots[i], hash))
      return false;
  set->slots[i] = hash;
  set->count++;
  return true;
}

static void hashset_grow(struct hashset *set)
{
  const struct hashset old = *set;

  *set = (struct hashset){.mask = 2 * old.mask + 1};
  set->slots = calloc(set->mask + 1, sizeof *set->slots);
  if (set->slots == NULL)
    hashset_fail("hashset");
  for (size_t i = 0; old.slots != NULL && i <= old.mask; i++)
    if ((old.slots[i].low64 | old.slots[i].high64) != 0)
      (void)hashset_insert(set, old.slots[i]);
  free(old.slots);
}

/* Prints the new ones of the lines in the buffer.  Returns how many bytes they all have. */
static size_t hashset_lines(struct hashset *set, const char *buffer, size_t size)
{
  const char *at = buffer, *const end = buffer + size, *stop;

  for (; (stop = memchr(at, '\n', (size_t)(end - at))) != NULL; at = stop + 1) {
    if (4 * set->count >= 3 * set->mask)
      hashset_grow(set);
    const size_t line = (size_t)(stop + 1 - at);
    if (hashset_insert(set, XXH3_128bits(at, line)) && fwrite(at, 1, line, stdout) != line)
      hashset_fail("standard output");
  }
  return (size_t)(at - buffer);
}

int main(int argc, char **argv)
{
  FILE *const file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  struct hashset set = {.mask = (1 << 16) - 1};
  size_t capacity = 0, kept = 0, got = 1;
  char *buffer = NULL;

  if (file == NULL)
    hashset_fail("usage: hashset FILE");
  set.slots = calloc(set.mask + 1, sizeof *set.slots);
  for (; got > 0; kept += got) {
    if (kept + HASHSET_READ >= capacity)
      buffer = realloc(buffer, capacity = 2 * capacity + 2 * HASHSET_READ);
    if (set.slots == NULL || buffer == NULL)
      hashset_fail("hashset");
    got = fread(buffer + kept, 1, HASHSET_READ, file);
    if (got == 0 && kept > 0) /* the last line has no end */
      buffer[kept++] = '\n';
    const size_t done = hashset_lines(&set, buffer, kept + got);
    memmove(buffer, buffer + done, kept + got - done);
    kept -= done;
  }
  if (ferror(file) || fflush(stdout) != 0)
    hashset_fail(argv[1]);
  (void)fclose(file);
  free(set.slots);
  free(buffer);
  return 0;
}
