/*
 * text.h - the words of a text, folded: what counts as the same word becomes the same bytes.
 *
 * A word is a run of letters, digits and the marks upon them; an apostrophe between two letters
 * belongs to it.  Letters lose their case; full-width ones become the usual ones, and what
 * cannot be seen (soft hyphens, joiners, zero-width spaces) goes, so that it does not hide a
 * word.  Not so: accents stay, an accented letter and the same one of two characters differ,
 * and 0 is not o.
 *
 * Chinese, Japanese, Thai, Lao, Khmer and Burmese put no spaces between words.  Where their
 * words end takes a dictionary to say, and is not said here: each of their characters counts as
 * a word of its own.  A word of theirs is then found as a phrase is, wherever its characters
 * follow one another: also across the ends of two words that have nothing to do with it.  Who
 * wants words there takes a segmenter (ICU has one); who wants each place where any of many
 * strings is, and no false one, Aho and Corasick's automaton, which holds all the strings.
 *
 * The text is UTF-8; bytes that are not end a word.  What a letter is, and its case, says the
 * locale, which must be one of UTF-8 (C.UTF-8).
 */
#ifndef WORDS_TEXT_H
#define WORDS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A word, by its first byte and the one behind its last in the folded text. */
struct word {
  size_t begin;
  size_t end;
};

/* A folded text, and the room that it has for the next one; all 0 before the first. */
struct text {
  char *bytes; /* the words, with spaces between those that have any: a phrase is one run */
  struct word *words;
  size_t size; /* of bytes, now */
  size_t count;
  size_t room; /* in bytes, and in words */
};

/* Folds `size` bytes; false: out of memory, and then there are no words. */
bool text_fold(struct text *text, const char *bytes, size_t size);

void text_free(struct text *text);

#endif
