/* thrift.c - reading Thrift's compact protocol. */
#include "bloom/files/thrift.h"

/* The other types; their values are only skipped. */
enum {
  TRUE = 1, /* the type is the value; in collections the value is a byte */
  FALSE = 2,
  BYTE = 3,
  I16 = 4,
  I64 = 6,
  DOUBLE = 7,
  BINARY = 8,
  LIST = 9,
  SET = 10,
  MAP = 11,
  UUID = 13,
};

static lfb_status thrift_bytes(lfb_thrift *thrift, unsigned char *bytes, uint32_t size)
{
  if (size > thrift->left)
    return LFB_ERROR_BAD_HEADER;
  thrift->left -= size;
  for (; size > 0 && thrift->head_left > 0; size--, thrift->head_left--)
    *bytes++ = *thrift->head++;
  return lfb_form_read_bytes(thrift->reader, bytes, size);
}

static lfb_status thrift_skip_bytes(lfb_thrift *thrift, uint64_t size)
{
  lfb_status status = size > thrift->left ? LFB_ERROR_BAD_HEADER : LFB_OK;

  for (unsigned char byte; status == LFB_OK && size > 0; size--)
    status = thrift_bytes(thrift, &byte, 1);
  return status;
}

/* Seven bits per byte, the lowest first; the last byte's top bit is 0. */
static lfb_status thrift_varint(lfb_thrift *thrift, uint64_t *value)
{
  uint64_t sum = 0;

  for (uint32_t shift = 0; shift < 64; shift += 7) {
    unsigned char byte;
    const lfb_status status = thrift_bytes(thrift, &byte, 1);
    if (status != LFB_OK)
      return status;
    if (shift == 63 && byte > 1)
      break;
    sum |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = sum;
      return LFB_OK;
    }
  }
  return LFB_ERROR_BAD_HEADER;
}

lfb_status lfb_thrift_number(lfb_thrift *thrift, int64_t *value)
{
  uint64_t zigzag;
  const lfb_status status = thrift_varint(thrift, &zigzag);

  if (status == LFB_OK)
    *value = (int64_t)(zigzag >> 1 ^ (0 - (zigzag & 1)));
  return status;
}

lfb_status lfb_thrift_next(lfb_thrift *thrift, lfb_thrift_field *field)
{
  unsigned char byte;
  const lfb_status status = thrift_bytes(thrift, &byte, 1);

  if (status != LFB_OK)
    return status;
  field->type = byte & 15;
  if (field->type == LFB_THRIFT_STOP)
    return byte == 0 ? LFB_OK : LFB_ERROR_BAD_HEADER;
  if (byte >= 16) { /* the difference to the last field's number */
    field->number += byte >> 4;
    return LFB_OK;
  }
  const lfb_status number = lfb_thrift_number(thrift, &field->number);
  return number == LFB_OK && (field->number < INT16_MIN || field->number > INT16_MAX)
             ? LFB_ERROR_BAD_HEADER
             : number;
}

static lfb_status thrift_skip_struct(lfb_thrift *thrift)
{
  lfb_thrift_field field = {0};
  lfb_status status = lfb_thrift_next(thrift, &field);

  while (status == LFB_OK && field.type != LFB_THRIFT_STOP) {
    status = lfb_thrift_skip(thrift, field.type);
    if (status == LFB_OK)
      status = lfb_thrift_next(thrift, &field);
  }
  return status;
}

/* An element has at least one byte, so the bytes that are left limit the caller's loop. */
static lfb_status thrift_skip_element(lfb_thrift *thrift, uint8_t type)
{
  return type == TRUE || type == FALSE ? thrift_skip_bytes(thrift, 1)
                                       : lfb_thrift_skip(thrift, type);
}

static lfb_status thrift_skip_list(lfb_thrift *thrift)
{
  unsigned char head = 0;
  lfb_status status = thrift_bytes(thrift, &head, 1);
  uint64_t count = head >> 4;

  if (status == LFB_OK && count == 15)
    status = thrift_varint(thrift, &count);
  for (; status == LFB_OK && count > 0; count--)
    status = thrift_skip_element(thrift, head & 15);
  return status;
}

static lfb_status thrift_skip_map(lfb_thrift *thrift)
{
  unsigned char types = 0;
  uint64_t count;
  lfb_status status = thrift_varint(thrift, &count);

  if (status == LFB_OK && count > 0)
    status = thrift_bytes(thrift, &types, 1);
  for (; status == LFB_OK && count > 0; count--) {
    status = thrift_skip_element(thrift, types >> 4);
    if (status == LFB_OK)
      status = thrift_skip_element(thrift, types & 15);
  }
  return status;
}

static lfb_status thrift_skip_varint(lfb_thrift *thrift)
{
  uint64_t value;
  return thrift_varint(thrift, &value);
}

static lfb_status thrift_skip_binary(lfb_thrift *thrift)
{
  uint64_t size;
  const lfb_status status = thrift_varint(thrift, &size);
  return status == LFB_OK ? thrift_skip_bytes(thrift, size) : status;
}

/* Skips a value that contains other values. */
static lfb_status thrift_skip_nested(lfb_thrift *thrift, uint8_t type)
{
  if (thrift->depth == LFB_THRIFT_DEPTH)
    return LFB_ERROR_BAD_HEADER;
  thrift->depth++;
  const lfb_status status = type == LFB_THRIFT_STRUCT ? thrift_skip_struct(thrift)
                            : type == MAP             ? thrift_skip_map(thrift)
                                                      : thrift_skip_list(thrift);
  thrift->depth--;
  return status;
}

lfb_status lfb_thrift_skip(lfb_thrift *thrift, uint8_t type)
{
  switch (type) {
  case TRUE:
  case FALSE:
    return LFB_OK;
  case BYTE:
    return thrift_skip_bytes(thrift, 1);
  case I16:
  case LFB_THRIFT_I32:
  case I64:
    return thrift_skip_varint(thrift);
  case DOUBLE:
    return thrift_skip_bytes(thrift, 8);
  case BINARY:
    return thrift_skip_binary(thrift);
  case LIST:
  case SET:
  case MAP:
  case LFB_THRIFT_STRUCT:
    return thrift_skip_nested(thrift, type);
  case UUID:
    return thrift_skip_bytes(thrift, 16);
  }
  return LFB_ERROR_BAD_HEADER;
}
