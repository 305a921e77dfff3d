/* words.c - reads and writes a filter's words in the order of Redis strings. */
#include "redis/filter/words.h"

#include <stdlib.h>
#include <string.h>

#include "bloom/files/forms.h"

/* Reverses the bits of each string of 8 bytes; works in either byte order. */
static void words_turn(uint64_t *words, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    uint64_t word = words[i];
    word = (word >> 1 & UINT64_C(0x5555555555555555)) | (word & UINT64_C(0x5555555555555555)) << 1;
    word = (word >> 2 & UINT64_C(0x3333333333333333)) | (word & UINT64_C(0x3333333333333333)) << 2;
    word = (word >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
    words[i] = __builtin_bswap64(word);
  }
}

/* Turns words that were read as big-endian. */
static lfb_status words_turned(const lfb_reader *reader, lfb_words *words)
{
  (void)reader;
  words_turn(words->pages.address, (size_t)(words->pages.size / sizeof(lfb_word)));
  words->changed = true; /* bits beyond the filter's last one may be set */
  return LFB_OK;
}

lfb_status lfb_words_read(const lfb_description *description, lfb_words_order order,
                          uint64_t max_bytes, lfb_read_fn read, void *from, lfb_filter **filter)
{
  const lfb_reader reader = {
      .read = read,
      .from = from,
      .limits = {.max_bytes = max_bytes},
      .known_bytes = description->geometry.word_count * sizeof(lfb_word),
  };

  return lfb_form_read_words(&reader, LFB_ORDER_BIG,
                             order == LFB_WORDS_TURNED ? words_turned : NULL, description, filter);
}

enum { WORDS_ROOM = 4096 }; /* words turned at a time */

/* The target of words that are turned first. */
typedef struct words_sink {
  lfb_write_fn write;
  void *to;
} words_sink;

static lfb_status words_write_turned(void *to, const void *bytes, size_t size)
{
  const words_sink *sink = to;
  uint64_t room[WORDS_ROOM];
  lfb_status status = LFB_OK;

  for (size_t done = 0, now; status == LFB_OK && done < size; done += now) {
    now = size - done < sizeof room ? size - done : sizeof room;
    memcpy(room, (const unsigned char *)bytes + done, now);
    words_turn(room, now / sizeof *room);
    status = sink->write(sink->to, room, now);
  }
  return status;
}

lfb_status lfb_words_write(const lfb_filter *filter, lfb_words_order order, lfb_write_fn write,
                           void *to)
{
  words_sink sink = {write, to};
  const lfb_writer plain = {.write = write, .to = to},
                   turned = {.write = words_write_turned, .to = &sink};

  return lfb_form_write_words(&filter->layout.bits, LFB_ORDER_BIG,
                              order == LFB_WORDS_TURNED ? &turned : &plain, NULL);
}
