/* thrift.c - reading Thrift's compact protocol. */
#include "bloom/files/thrift.h"

/* The other types; their values are only skipped. */
enum {
  TRUE = 1, /* the type is the value; in collections the value is a byte */
  FALSE = 2,
  BYTE = 3,
  I16 = 4,
  DOUBLE = 7,
  SET = 10,
  MAP = 11,
  UUID = 13,
};

static void thrift_refuse(lfb_thrift *thrift)
{
  if (thrift->status == LFB_OK)
    thrift->status = LFB_ERROR_BAD_HEADER;
}

/* Reads a byte; 0 after a failure. */
static uint8_t thrift_byte(lfb_thrift *thrift)
{
  unsigned char byte = 0;

  if (thrift->left == 0)
    thrift_refuse(thrift);
  if (thrift->status != LFB_OK)
    return 0;
  thrift->left--;
  if (thrift->head_left > 0) {
    thrift->head_left--;
    return *thrift->head++;
  }
  thrift->status = lfb_form_read_bytes(thrift->reader, &byte, 1);
  return thrift->status == LFB_OK ? byte : 0;
}

static void thrift_skip_bytes(lfb_thrift *thrift, uint64_t size)
{
  if (size > thrift->left)
    thrift_refuse(thrift);
  for (; thrift->status == LFB_OK && size > 0; size--)
    (void)thrift_byte(thrift);
}

/* Seven bits per byte, the lowest first; the last byte's top bit is 0. */
static uint64_t thrift_varint(lfb_thrift *thrift)
{
  uint64_t sum = 0;

  for (uint32_t shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = thrift_byte(thrift);
    if (shift == 63 && byte > 1)
      break;
    sum |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return sum;
  }
  thrift_refuse(thrift);
  return 0;
}

int64_t lfb_thrift_number(lfb_thrift *thrift)
{
  const uint64_t zigzag = thrift_varint(thrift);
  return (int64_t)(zigzag >> 1 ^ (0 - (zigzag & 1)));
}

bool lfb_thrift_next(lfb_thrift *thrift, lfb_thrift_field *field)
{
  const uint8_t byte = thrift_byte(thrift);

  field->type = byte & 15;
  if (field->type == LFB_THRIFT_STOP) {
    if (byte != 0)
      thrift_refuse(thrift);
    return false;
  }
  if (byte >= 16) { /* the difference to the last field's number */
    field->number += byte >> 4;
    return true;
  }
  field->number = lfb_thrift_number(thrift);
  if (field->number < INT16_MIN || field->number > INT16_MAX)
    thrift_refuse(thrift);
  return thrift->status == LFB_OK;
}

static void thrift_skip_struct(lfb_thrift *thrift)
{
  lfb_thrift_field field = {0};

  while (lfb_thrift_next(thrift, &field))
    lfb_thrift_skip(thrift, field.type);
}

/* An element has at least one byte, so the bytes that are left limit the caller's loop. */
static void thrift_skip_element(lfb_thrift *thrift, uint8_t type)
{
  if (type == TRUE || type == FALSE)
    (void)thrift_byte(thrift);
  else
    lfb_thrift_skip(thrift, type);
}

static uint64_t thrift_list(lfb_thrift *thrift, uint8_t *type)
{
  const uint8_t head = thrift_byte(thrift);

  *type = head & 15;
  return head >> 4 == 15 ? thrift_varint(thrift) : head >> 4;
}

static void thrift_skip_list(lfb_thrift *thrift)
{
  uint8_t type;

  for (uint64_t count = thrift_list(thrift, &type); thrift->status == LFB_OK && count > 0; count--)
    thrift_skip_element(thrift, type);
}

static void thrift_skip_map(lfb_thrift *thrift)
{
  uint64_t count = thrift_varint(thrift);
  const uint8_t types = count > 0 ? thrift_byte(thrift) : 0;

  for (; thrift->status == LFB_OK && count > 0; count--) {
    thrift_skip_element(thrift, types >> 4);
    thrift_skip_element(thrift, types & 15);
  }
}

/* Skips a value that contains other values. */
static void thrift_skip_nested(lfb_thrift *thrift, uint8_t type)
{
  if (thrift->depth == LFB_THRIFT_DEPTH) {
    thrift_refuse(thrift);
    return;
  }
  thrift->depth++;
  if (type == LFB_THRIFT_STRUCT)
    thrift_skip_struct(thrift);
  else if (type == MAP)
    thrift_skip_map(thrift);
  else
    thrift_skip_list(thrift);
  thrift->depth--;
}

void lfb_thrift_skip(lfb_thrift *thrift, uint8_t type)
{
  switch (type) {
  case TRUE:
  case FALSE:
    break;
  case BYTE:
    thrift_skip_bytes(thrift, 1);
    break;
  case I16:
  case LFB_THRIFT_I32:
  case LFB_THRIFT_I64:
    (void)thrift_varint(thrift);
    break;
  case DOUBLE:
    thrift_skip_bytes(thrift, 8);
    break;
  case LFB_THRIFT_BINARY:
    thrift_skip_bytes(thrift, thrift_varint(thrift));
    break;
  case LFB_THRIFT_LIST:
  case SET:
  case MAP:
  case LFB_THRIFT_STRUCT:
    thrift_skip_nested(thrift, type);
    break;
  case UUID:
    thrift_skip_bytes(thrift, 16);
    break;
  default:
    thrift_refuse(thrift);
  }
}
