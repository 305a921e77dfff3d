/*
 * typed.h - what the text of a key stands for: a filter may hold numbers, or other bytes than the
 * text's.
 */
#ifndef CLI_INPUT_TYPED_H
#define CLI_INPUT_TYPED_H

#include <lfbloom/sink.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/base/options.h"

/* Bytes of room per byte of text that typed_of() may need. */
enum { TYPED_ROOM = 8 };

/* --keys.  LFB_KEYS_UNKNOWN: it was not given; then keys are text, unless typed_take() finds out
 * what they are. */
struct option_row typed_row(lfb_key_type *to);

static inline bool typed_is_text(lfb_key_type type)
{
  return type <= LFB_KEYS_TEXT;
}

/* The name that --keys has for a type. */
const char *typed_name(lfb_key_type type);

/*
 * Takes the type that the keys of `what` have, a filter or a form, unless that is unknown.
 *
 * Returns false after a report if `*type` is another one: no such key would be found.  Text and hex
 * go together: they write the same bytes in two ways.
 */
bool typed_take(const char *what, lfb_key_type has, lfb_key_type *type);

/* The same of a form, which only those of Milvus say something about. */
bool typed_take_form(lfb_form form, lfb_key_type *type);

/* Converts the text of a key into room.  NULL, or why it cannot be. */
const char *typed_of(lfb_key_type type, lfb_key text, char *room, lfb_key *key);

/* The numbers of keys of type LFB_KEYS_I64. */
void typed_numbers(const lfb_key *keys, size_t count, uint64_t *numbers);

#endif
