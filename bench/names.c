/* names.c - the word list, and a bijection from numbers to pairs of its words. */
#include "bench/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char names_path[] = "/usr/share/dict/american-english-insane";

typedef struct name_word {
  char text[LFB_NAME_WORD];
  uint8_t size;
} name_word;

static struct {
  name_word *words;
  size_t count, capacity;
} list;

/* Whether the line is one capital and small ASCII letters, at most LFB_NAME_WORD together. */
static bool names_takes(const char *line, size_t size)
{
  if (size == 0 || size > LFB_NAME_WORD || !isupper((unsigned char)line[0]))
    return false;
  for (size_t i = 1; i < size; i++)
    if (!islower((unsigned char)line[i]))
      return false;
  return true;
}

static bool names_add(const char *line, size_t size)
{
  if (list.count == list.capacity) {
    const size_t more = list.capacity * 2 + 1024;
    name_word *words = realloc(list.words, more * sizeof *words);
    if (words == NULL)
      return false;
    list.words = words;
    list.capacity = more;
  }
  name_word *word = &list.words[list.count++];
  (void)memcpy(word->text, line, size);
  word->size = (uint8_t)size;
  return true;
}

bool lfb_names_load(void)
{
  char line[256];
  bool whole = true;

  if (list.count > 0)
    return true;
  FILE *file = fopen(names_path, "r");
  if (file == NULL)
    return false;
  while (whole && fgets(line, sizeof line, file) != NULL) {
    const size_t size = strcspn(line, "\n");
    if (names_takes(line, size))
      whole = names_add(line, size);
  }
  (void)fclose(file);
  return whole && list.count > 0;
}

void lfb_names_free(void)
{
  free(list.words);
  list.words = NULL;
  list.count = list.capacity = 0;
}

static size_t name_append(char *name, size_t size, const name_word *word)
{
  (void)memcpy(name + size, word->text, word->size);
  return size + word->size;
}

size_t lfb_name_write(uint64_t i, char name[LFB_NAME_SIZE])
{
  const uint64_t absent = UINT64_C(1) << 40;
  const uint64_t low = i % absent;
  /* Steps of a prime visit all words before one repeats.  The other word steps too, from a
   * start that each round advances: the pairs of all rounds differ. */
  const uint64_t first = low % list.count * 7919 % list.count;
  const uint64_t last = (low / list.count + low % list.count * 104729) % list.count;
  size_t size = name_append(name, 0, &list.words[first]);

  name[size++] = i < absent ? ' ' : '-';
  return name_append(name, size, &list.words[last]);
}
