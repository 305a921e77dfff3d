/* hashset.c - the memory of a hash set of the same strings. */
#define _GNU_SOURCE /* hcreate_r */
#include "cli/hashset.h"

#include <errno.h>
#include <malloc.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "cli/uuid.h"

enum { HASHSET_SAMPLE = 200 * 1000 };

/* glibc's table entry: an ENTRY and its hash. */
struct hashset_slot {
  unsigned used;
  ENTRY entry;
};

/* Enters one string, and adds the size of its memory.  False: out of memory. */
static bool hashset_enter(struct hsearch_data *table, char **strings, uint64_t seed, uint64_t index,
                          uint64_t *bytes)
{
  char *text = malloc(UUID_SIZE + 1);
  ENTRY *found;

  if (text == NULL)
    return false;
  uuid_write(seed, index, text);
  text[UUID_SIZE] = '\0';
  strings[index] = text;
  *bytes += malloc_usable_size(text) + sizeof(size_t); /* and malloc's header */
  return hsearch_r((ENTRY){text, NULL}, ENTER, &found, table) != 0;
}

/* Fills a table with strings 0 to count - 1, and sums its memory. */
static bool hashset_measure(uint64_t seed, uint64_t count, char **strings, uint64_t *bytes)
{
  struct hsearch_data table = {0};
  bool entered = true;

  if (hcreate_r(count * 5 / 4, &table) == 0)
    return false;
  *bytes = (table.size + UINT64_C(1)) * sizeof(struct hashset_slot);
  for (uint64_t i = 0; i < count && entered; i++)
    entered = hashset_enter(&table, strings, seed, i, bytes);
  hdestroy_r(&table);
  return entered;
}

bool hashset_bytes(uint64_t seed, uint64_t count, uint64_t *bytes)
{
  const uint64_t sample = count < HASHSET_SAMPLE ? count : HASHSET_SAMPLE;
  char **strings = calloc(sample + 1, sizeof *strings); /* + 1: never 0 bytes */
  uint64_t taken = 0;
  bool measured = strings != NULL;

  if (measured)
    measured = hashset_measure(seed, sample, strings, &taken);
  for (uint64_t i = 0; strings != NULL && i < sample; i++)
    free(strings[i]);
  free(strings);
  if (!measured)
    return report_false("hash set of %llu strings: %s", (unsigned long long)sample, strerror(errno));
  *bytes = sample == 0 ? taken : (uint64_t)((double)taken / (double)sample * (double)count);
  return true;
}
