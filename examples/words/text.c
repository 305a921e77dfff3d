/* text.c - decodes, folds and splits a text. */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include "examples/words/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/* First and last of a range of characters. */
struct range {
  wchar_t first;
  wchar_t last;
};

static const struct range unspaced[] = {
    {0x0e00, 0x0eff},   /* Thai, Lao                          */
    {0x1000, 0x109f},   /* Burmese                            */
    {0x1780, 0x17ff},   /* Khmer                              */
    {0x3005, 0x3007},   /* from here on: Chinese and Japanese */
    {0x3040, 0x30ff},   {0x31f0, 0x31ff},   {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},   {0xf900, 0xfaff},   {0xff66, 0xff9f},
    {0x20000, 0x3fffd},
};

static const struct range unseen[] = {
    {0x00ad, 0x00ad}, {0x200b, 0x200f}, {0x2060, 0x2064}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},
};

#define IS_IN(ranges, character) range_has(ranges, sizeof(ranges) / sizeof *(ranges), character)

static bool range_has(const struct range *ranges, size_t count, wchar_t character)
{
  for (size_t i = 0; i < count; i++)
    if (character >= ranges[i].first && character <= ranges[i].last)
      return true;
  return false;
}

static bool is_apostrophe(wchar_t character)
{
  return character == L'\'' || character == 0x2019;
}

/* Letters, digits, and the combining marks over and under them. */
static bool is_in_word(wchar_t character)
{
  return iswalnum((wint_t)character) || (character >= 0x300 && wcwidth(character) == 0);
}

/* Folds through upper case, since the two lower-case sigmas share one capital. */
static wchar_t fold(wchar_t character)
{
  if (character >= 0xff01 && character <= 0xff5e) /* full-width */
    character -= 0xff01 - L'!';
  return (wchar_t)towlower(towupper((wint_t)character));
}

/* The state of folding. */
struct folding {
  struct text *text;
  bool in_word;    /* the next letter continues the last word               */
  bool apostrophe; /* an apostrophe comes before that letter                */
  bool alone;      /* the last word is one character of an unspaced script  */
};

static void folding_append(struct text *text, const char *bytes, size_t size)
{
  memcpy(text->bytes + text->size, bytes, size);
  text->size += size;
}

static void folding_begin_word(struct folding *folding, bool alone)
{
  struct text *text = folding->text;

  if (text->count > 0 && !(alone && folding->alone))
    folding_append(text, " ", 1);
  folding->alone = alone;
  text->words[text->count++] = (struct word){text->size, text->size};
}

static void folding_letter(struct folding *folding, wchar_t letter)
{
  struct text *text = folding->text;
  const bool alone = IS_IN(unspaced, letter);
  char bytes[MB_LEN_MAX];
  mbstate_t state = {0};
  const size_t size = wcrtomb(bytes, fold(letter), &state);

  if (!folding->in_word || alone)
    folding_begin_word(folding, alone);
  else if (folding->apostrophe)
    folding_append(text, "'", 1);
  folding_append(text, bytes, size);
  text->words[text->count - 1].end = text->size;
  folding->in_word = !alone;
  folding->apostrophe = false;
}

static void folding_next(struct folding *folding, wchar_t character)
{
  if (IS_IN(unseen, character))
    return;
  if (is_in_word(character)) {
    folding_letter(folding, character);
    return;
  }
  const bool apostrophe = is_apostrophe(character) && folding->in_word && !folding->apostrophe;
  folding->in_word = apostrophe;
  folding->apostrophe = apostrophe;
}

/* A byte becomes at most 5: a character of four bytes, after a space or an apostrophe. */
static bool text_make_room(struct text *text, size_t size)
{
  if (size < text->room)
    return true;
  const size_t room = 2 * size + 64;
  char *bytes = realloc(text->bytes, 5 * room);
  if (bytes != NULL)
    text->bytes = bytes;
  struct word *words = bytes == NULL ? NULL : realloc(text->words, room * sizeof *words);
  if (words == NULL)
    return false;
  text->words = words;
  text->room = room;
  return true;
}

bool text_fold(struct text *text, const char *bytes, size_t size)
{
  struct folding folding = {.text = text};
  mbstate_t state = {0};

  text->size = 0;
  text->count = 0;
  if (!text_make_room(text, size))
    return false;
  while (size > 0) {
    wchar_t character;
    size_t taken = mbrtowc(&character, bytes, size, &state);
    if (taken == (size_t)-1 || taken == (size_t)-2) {
      character = L' ';
      state = (mbstate_t){0};
    }
    if (taken == 0 || taken > size) /* a NUL, or not a character */
      taken = 1;
    folding_next(&folding, character);
    bytes += taken;
    size -= taken;
  }
  return true;
}

void text_free(struct text *text)
{
  free(text->bytes);
  free(text->words);
}
