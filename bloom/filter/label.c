/*
 * label.c - checks, sets and reads a filter's label.
 *
 * Programs print the label of any file.  So a label is one line and has no control characters,
 * which a terminal would obey.
 */
#include "bloom/filter/description.h"

#include <string.h>

static bool label_may_hold(uint32_t character)
{
  const bool control = character < 0x20 || (character >= 0x7f && character < 0xa0);
  const bool surrogate = character >= 0xd800 && character < 0xe000;

  return !control && !surrogate && character <= 0x10ffff;
}

/* The size in bytes of the first character of a text that ends in NUL; 0 if a label may not have
 * this character. */
static size_t label_first(const unsigned char *text)
{
  /* The smallest character that needs this many bytes. */
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const size_t size = text[0] < 0x80   ? 1
                      : text[0] < 0xc0 ? 0
                      : text[0] < 0xe0 ? 2
                      : text[0] < 0xf0 ? 3
                      : text[0] < 0xf8 ? 4
                                       : 0;
  uint32_t character = size < 2 ? text[0] : text[0] & (0x7fu >> size);

  for (size_t i = 1; i < size; i++) {
    if ((text[i] & 0xc0) != 0x80) /* true for the NUL too */
      return 0;
    character = character << 6 | (text[i] & 0x3fu);
  }
  return character >= least[size] && label_may_hold(character) ? size : 0;
}

lfb_status lfb_label_check(const char *label)
{
  const unsigned char *at = (const unsigned char *)label;

  if (strlen(label) > LFB_LABEL_SIZE)
    return LFB_ERROR_BAD_LABEL;
  while (*at != '\0') {
    const size_t size = label_first(at);
    if (size == 0)
      return LFB_ERROR_BAD_LABEL;
    at += size;
  }
  return LFB_OK;
}

lfb_status lfb_label_set(char field[LFB_LABEL_SIZE + 1], const char *label)
{
  char zeroed[LFB_LABEL_SIZE + 1] = "";
  const lfb_status status = lfb_label_check(label);

  if (status != LFB_OK)
    return status;
  memcpy(zeroed, label, strlen(label) + 1); /* a copy: `label` may be in the field */
  memcpy(field, zeroed, sizeof zeroed);
  return LFB_OK;
}

lfb_status lfb_label_read(char label[LFB_LABEL_SIZE + 1],
                          const unsigned char field[LFB_LABEL_SIZE + 1])
{
  const char *text = (const char *)field;

  if (field[LFB_LABEL_SIZE] != 0 || lfb_label_check(text) != LFB_OK)
    return LFB_ERROR_BAD_LABEL;
  for (size_t i = strlen(text); i < LFB_LABEL_SIZE; i++)
    if (field[i] != 0)
      return LFB_ERROR_BAD_LABEL;
  memcpy(label, field, LFB_LABEL_SIZE + 1);
  return LFB_OK;
}
