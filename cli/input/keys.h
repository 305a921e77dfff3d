/*
 * keys.h - reads or counts the keys of a command, with a progress bar.
 */
#ifndef CLI_INPUT_KEYS_H
#define CLI_INPUT_KEYS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/base/command.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"
#include "cli/input/part.h"
#include "cli/input/records.h"
#include "cli/input/typed.h"

/* The source of a command's keys, and how they are read. */
enum keys_bad { KEYS_FAIL, KEYS_PASS, KEYS_SKIP };

struct keys_source {
  char *const *paths; /* "-" is standard input */
  size_t path_count;  /* 0: standard input     */
  bool nul;           /* keys end in NUL bytes */
  bool crlf;          /* lines end in CR LF    */
  bool ignore_case;   /* a key has small letters in place of the capitals of ASCII */
  struct input_header *header; /* NULL: there is none */
  struct part part;   /* of a record: its key  */
  lfb_key_type type;  /* what its text is; LFB_KEYS_UNKNOWN: text */
  enum keys_bad bad_lines;         /* what becomes of a line without a key */
  _Atomic(uint64_t) *bad;          /* counts them; NULL: nobody asks                  */
  unsigned threads;
  enum progress_when progress;
  bool *skipped; /* as in records.h */
};

/* The options that say how keys are read. */
#define KEYS_ROWS(source)                                                                        \
  part_field_row(&(source).part), part_separator_row(&(source).part),                            \
      part_jsonl_row(&(source).part), options_nul(&(source).nul),                                \
      keys_ignore_case_row(&(source).ignore_case), keys_crlf_row(&(source).crlf),                \
      typed_row(&(source).type), keys_bad_lines_row(&(source).bad_lines)

struct option_row keys_crlf_row(bool *to);
struct option_row keys_ignore_case_row(bool *to);
struct option_row keys_bad_lines_row(enum keys_bad *to);

char keys_delimiter(const struct keys_source *source);

/* What is wrong with the combination of its options; NULL: nothing. */
const char *keys_misuse(const struct keys_source *source);

/* Checks the options of the source and, unless unreadable files are skipped, that every file can be
 * read, without opening one.  False after a report. */
bool keys_check(const struct keys_source *source, const struct command *command);

/* As chunk_keys(), without lines that are no keys: blank ones with --jsonl. */
size_t keys_next(const struct keys_source *source, const struct chunk *chunk, size_t *at,
                 lfb_key *records, size_t most);

/* Whether a line can lack a key. */
bool keys_can_be_bad(const struct keys_source *source);

/* Whether keys_of() returns the records themselves. */
bool keys_are_records(const struct keys_source *source);

/*
 * Finds the keys of `*count` records, at most CHUNK_PARTS, which keys_next() found in the chunk.
 * If one has no key, source->bad_lines decides: it is refused (chunk_refuse()), and `*count`
 * becomes the number before it; or it is taken out of `records`; or it has a key that no other has.
 *
 * Returns `records` if whole records are keys, else an array of the chunk, until the next call; the
 * bytes of its keys stay until the chunk is filled again.  NULL after a report.
 */
const lfb_key *keys_of(const struct keys_source *source, struct chunk *chunk,
                       lfb_key *records, size_t *count);

/* Whether the key is that of a line which is to be printed as it stands (KEYS_PASS). */
bool keys_passes(const struct keys_source *source, lfb_key key);

/* Begins a progress bar for a read.  By default there is none if keys are typed, or printed on a
 * terminal. */
void keys_begin(const struct keys_source *source, const char *label, bool prints);

/* Says how many lines were bad, after all reads. */
void keys_note_bad(const struct keys_source *source);

#endif
