/* text.c - decodes, folds and splits a text. */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include "examples/words/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

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
  return (wchar_t)towlower(towupper((wint_t)character));
}

/* The state of folding. */
struct folding {
  struct text *text;
  bool in_word;    /* the next letter continues the last word  */
  bool apostrophe; /* an apostrophe comes before that letter   */
};

static void folding_append(struct text *text, const char *bytes, size_t size)
{
  memcpy(text->bytes + text->size, bytes, size);
  text->size += size;
}

static void folding_begin_word(struct text *text)
{
  if (text->count > 0)
    folding_append(text, " ", 1);
  text->words[text->count++] = (struct word){text->size, text->size};
}

static void folding_letter(struct folding *folding, wchar_t letter)
{
  struct text *text = folding->text;
  char bytes[MB_LEN_MAX];
  mbstate_t state = {0};
  const size_t size = wcrtomb(bytes, fold(letter), &state);

  if (!folding->in_word)
    folding_begin_word(text);
  else if (folding->apostrophe)
    folding_append(text, "'", 1);
  folding_append(text, bytes, size);
  text->words[text->count - 1].end = text->size;
  folding->in_word = true;
  folding->apostrophe = false;
}

static void folding_next(struct folding *folding, wchar_t character)
{
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
