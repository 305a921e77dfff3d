/*
 * text.h - the words of a text, folded: spellings that count as the same word become the same
 * bytes.
 *
 * A word is a run of letters, digits and their combining marks; an apostrophe between two letters
 * belongs to it.  Folding removes the case of letters, and nothing else: it keeps accents, and
 * invisible characters end a word.  In Chinese, Japanese and Thai, which put no spaces between
 * words, a word is all that stands between two marks: to find shorter ones, cut the text by a
 * segmenter first (ICU has one).
 *
 * The text is UTF-8; invalid bytes end a word.  The locale decides what a letter is, and its case;
 * it must be a UTF-8 locale (C.UTF-8).
 */
#ifndef WORDS_TEXT_H
#define WORDS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A word in the folded text: the offset of its first byte, and of the byte after its last. */
struct word {
  size_t begin;
  size_t end;
};

/* A folded text, and its buffers, which the next text reuses; all 0 before the first text. */
struct text {
  char *bytes; /* the words, with a space between them: a phrase is contiguous */
  struct word *words;
  size_t size; /* of bytes, now */
  size_t count;
  size_t room; /* size of a text, in bytes, that the buffers can hold */
};

/* Folds `size` bytes; returns false if out of memory, and the text then has no words. */
bool text_fold(struct text *text, const char *bytes, size_t size);

/* Frees the buffers. */
void text_free(struct text *text);

#endif
