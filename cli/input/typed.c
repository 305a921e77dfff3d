/* typed.c - converts the text of keys. */
#include "cli/input/typed.h"

#include <lfbloom/filter_more.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/json.h"
#include "cli/base/numbers.h"
#include "cli/base/report.h"

static const char *const typed_names[] = {
    [LFB_KEYS_UNKNOWN] = "unknown", [LFB_KEYS_TEXT] = "text", [LFB_KEYS_I64] = "i64",
    [LFB_KEYS_I32] = "i32",         [LFB_KEYS_F32] = "f32",   [LFB_KEYS_F64] = "f64",
    [LFB_KEYS_UTF16] = "utf16",     [LFB_KEYS_HEX] = "hex",
};

const char *typed_name(lfb_key_type type)
{
  return typed_names[type <= LFB_KEYS_HEX ? type : LFB_KEYS_UNKNOWN];
}

static bool typed_read(const char *option, const char *text, void *to)
{
  for (size_t i = LFB_KEYS_TEXT; i < sizeof typed_names / sizeof *typed_names; i++)
    if (strcmp(text, typed_names[i]) == 0) {
      *(lfb_key_type *)to = (lfb_key_type)i;
      return true;
    }
  return report_false("%s '%s': must be text, i64, i32, f32, f64, utf16 or hex", option, text);
}

OPTIONS_DEFINE(
    typed_row, lfb_key_type, '\0', "keys", "TYPE", typed_read,
    "what the text of a key stands for: text, i64, i32, f32, f64, utf16 or hex (default: what the "
    "filter was built with, or text)")

bool typed_take(const char *what, lfb_key_type has, lfb_key_type *type)
{
  const bool bytes = (has == LFB_KEYS_TEXT || has == LFB_KEYS_HEX) &&
                     (*type == LFB_KEYS_TEXT || *type == LFB_KEYS_HEX);

  if (has == LFB_KEYS_UNKNOWN || has == *type || bytes)
    return true;
  if (*type != LFB_KEYS_UNKNOWN)
    return report_false("%s: holds keys of --keys=%s, not of --keys=%s", what,
                        typed_name(has), typed_name(*type));
  *type = has;
  return true;
}

bool typed_take_form(lfb_form form, lfb_key_type *type)
{
  const bool either = form == LFB_FORM_MILVUS && *type > LFB_KEYS_I64;
  const lfb_key_type has = form == LFB_FORM_MILVUS_INT64             ? LFB_KEYS_I64
                           : form == LFB_FORM_MILVUS_UTF8 || either ? LFB_KEYS_TEXT
                                                                    : LFB_KEYS_UNKNOWN;

  return typed_take(lfb_form_name(form), has, type);
}

/* Stores the low bytes of a number, little-endian. */
static void typed_store(uint64_t number, size_t bytes, char *room, lfb_key *key)
{
  for (size_t i = 0; i < bytes; i++)
    room[i] = (char)(number >> (8 * i));
  *key = (lfb_key){room, bytes};
}

/* Reads a whole number, signed or not, of at most `bits` bits. */
static bool typed_whole(lfb_key text, unsigned bits, uint64_t *number)
{
  const char *at = text.bytes, *const end = at + text.size;
  const bool negative = at < end && *at == '-';
  const uint64_t most = negative ? UINT64_C(1) << (bits - 1) : UINT64_MAX >> (64 - bits);
  uint64_t value = 0;

  at += negative;
  if (at == end)
    return false;
  for (; at < end && *at >= '0' && *at <= '9'; at++) {
    const uint64_t digit = (uint64_t)(*at - '0');
    if (value > (most - digit) / 10)
      return false;
    value = 10 * value + digit;
  }
  *number = negative ? 0 - value : value;
  return at == end;
}

/* Reads a number as strtod() does, without blanks around it; a float's as strtof() does. */
static bool typed_real(lfb_key text, bool single, uint64_t *bits)
{
  char copy[400], *end;
  float near;
  double number;

  if (text.size == 0 || text.size >= sizeof copy || memchr(text.bytes, '\0', text.size) != NULL ||
      *(const char *)text.bytes <= ' ')
    return false;
  memcpy(copy, text.bytes, text.size);
  copy[text.size] = '\0';
  if (single) {
    uint32_t low;
    near = strtof(copy, &end);
    memcpy(&low, &near, sizeof low);
    *bits = low;
  } else {
    number = strtod(copy, &end);
    memcpy(bits, &number, sizeof number);
  }
  return *end == '\0';
}

/* Reads one character of UTF-8.  Returns its bytes, or 0. */
static size_t typed_character(const unsigned char *at, size_t left, uint32_t *character)
{
  const size_t size = at[0] < 0x80 ? 1 : (size_t)json_utf8_size(at, left);

  *character = size == 1 ? at[0] : at[0] & (0x7fU >> size);
  for (size_t i = 1; i < size; i++)
    *character = *character << 6 | (at[i] & 0x3fU);
  return size;
}

static bool typed_utf16(lfb_key text, char *room, lfb_key *key)
{
  const unsigned char *at = text.bytes;
  lfb_key unit;
  char *to = room;

  for (size_t left = text.size, size; left > 0; left -= size, at += size) {
    uint32_t character;
    size = typed_character(at, left, &character);
    if (size == 0)
      return false;
    if (character >= 0x10000) {
      typed_store(0xd800 + ((character - 0x10000) >> 10), 2, to, &unit);
      to += 2;
      character = 0xdc00 + ((character - 0x10000) & 0x3ff);
    }
    typed_store(character, 2, to, &unit);
    to += 2;
  }
  *key = (lfb_key){room, (size_t)(to - room)};
  return true;
}

const char *typed_of(lfb_key_type type, lfb_key text, char *room, lfb_key *key)
{
  uint64_t number = 0;

  switch (type) {
  case LFB_KEYS_I64:
    if (!typed_whole(text, 64, &number))
      return "not a whole number of 64 bits";
    typed_store(number, 8, room, key);
    return NULL;
  case LFB_KEYS_I32:
    if (!typed_whole(text, 32, &number))
      return "not a whole number of 32 bits";
    typed_store(number, 4, room, key);
    return NULL;
  case LFB_KEYS_F32:
  case LFB_KEYS_F64:
    if (!typed_real(text, type == LFB_KEYS_F32, &number))
      return "not a number";
    typed_store(number, type == LFB_KEYS_F32 ? 4 : 8, room, key);
    return NULL;
  case LFB_KEYS_UTF16:
    return typed_utf16(text, room, key) ? NULL : "not UTF-8";
  case LFB_KEYS_HEX:
    *key = (lfb_key){room, text.size / 2};
    return text.size % 2 == 0 && numbers_hex(text.bytes, text.size / 2, room)
               ? NULL
               : "not hexadecimal digits, two for each byte";
  default:
    *key = text;
    return NULL;
  }
}

void typed_numbers(const lfb_key *keys, size_t count, uint64_t *numbers)
{
  for (size_t i = 0; i < count; i++) {
    const unsigned char *bytes = keys[i].bytes;
    numbers[i] = 0;
    for (int byte = 7; byte >= 0; byte--)
      numbers[i] = numbers[i] << 8 | bytes[byte];
  }
}
