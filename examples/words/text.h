/*
 * text.h - the words of a text, folded: spellings that count as the same word become the same
 * bytes.
 *
 * A word is a run of letters, digits and their combining marks; an apostrophe between two letters
 * belongs to it.  Folding
 *   - removes the case of letters;
 *   - turns full-width letters into the usual ones;
 *   - removes invisible characters (soft hyphens, joiners, zero-width spaces), which could hide
 *     a word.
 * It keeps accents.  An accented letter differs from the same letter written as two characters,
 * and 0 differs from o.
 *
 * Chinese, Japanese, Thai, Lao, Khmer and Burmese put no spaces between words.  To find their
 * word boundaries takes a dictionary, which this example does not have: each of their characters
 * counts as a word.  A word in these scripts is found like a phrase: if its characters
 * follow one another, also across the boundary of two unrelated words.  To find real words there,
 * use a segmenter (ICU has one).  To find every occurrence of many strings without false
 * positives, use an Aho-Corasick automaton, which holds all the strings.
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
  char *bytes; /* the words, with a space between them except in unspaced scripts: a phrase is
                  contiguous */
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
