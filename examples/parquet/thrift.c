/* thrift.c - reads Thrift's compact protocol from memory. */
#include "examples/parquet/thrift.h"

/* Types that are only skipped. */
enum { TRUE = 1, FALSE = 2, BYTE = 3, I16 = 4, DOUBLE = 7, SET = 10, MAP = 11, UUID = 13 };

enum { DEPTH_MOST = 32 };

static unsigned thrift_byte(struct thrift *thrift)
{
  if (thrift->bad || thrift->at == thrift->end) {
    thrift->bad = true;
    return 0;
  }
  return *thrift->at++;
}

static const unsigned char *thrift_bytes(struct thrift *thrift, uint64_t size)
{
  const unsigned char *bytes = thrift->at;

  if (thrift->bad || size > (uint64_t)(thrift->end - thrift->at)) {
    thrift->bad = true;
    return NULL;
  }
  thrift->at += size;
  return bytes;
}

/* Seven bits per byte, the lowest first; the top bit of the last byte is 0. */
static uint64_t thrift_varint(struct thrift *thrift)
{
  uint64_t sum = 0;

  for (unsigned shift = 0; shift < 64; shift += 7) {
    const unsigned byte = thrift_byte(thrift);
    if (shift == 63 && byte > 1)
      break;
    sum |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return sum;
  }
  thrift->bad = true;
  return 0;
}

int64_t thrift_number(struct thrift *thrift)
{
  const uint64_t zigzag = thrift_varint(thrift);
  return (int64_t)(zigzag >> 1 ^ (0 - (zigzag & 1)));
}

struct thrift_text thrift_text(struct thrift *thrift)
{
  const uint64_t size = thrift_varint(thrift);
  const unsigned char *bytes = thrift_bytes(thrift, size);
  if (bytes == NULL)
    return (struct thrift_text){"", 0};
  return (struct thrift_text){(const char *)bytes, (size_t)size};
}

bool thrift_next(struct thrift *thrift, struct thrift_field *field)
{
  const unsigned head = thrift_byte(thrift);

  field->type = head & 15;
  if (field->type == 0)
    return false;
  /* The high four bits are the difference from the last field's number; if 0, the number itself
   * follows. */
  if (head >> 4 != 0)
    field->number = (int64_t)((uint64_t)field->number + (head >> 4));
  else
    field->number = thrift_number(thrift);
  return !thrift->bad;
}

bool thrift_is(struct thrift *thrift, const struct thrift_field *field, int64_t number,
               unsigned type)
{
  if (field->number == number && field->type != type)
    thrift->bad = true;
  return field->number == number;
}

/* Reads the head of a list or a set; every element takes at least one byte. */
static uint64_t thrift_elements(struct thrift *thrift, unsigned *type)
{
  const unsigned head = thrift_byte(thrift);
  const uint64_t count = head >> 4 < 15 ? head >> 4 : thrift_varint(thrift);

  *type = head & 15;
  if (count > (uint64_t)(thrift->end - thrift->at))
    thrift->bad = true;
  return thrift->bad ? 0 : count;
}

uint64_t thrift_list(struct thrift *thrift, unsigned type)
{
  unsigned found;
  const uint64_t count = thrift_elements(thrift, &found);

  if (count > 0 && found != type)
    thrift->bad = true;
  return thrift->bad ? 0 : count;
}

/* A boolean takes one byte in a collection, and none in a field. */
static void thrift_skip_element(struct thrift *thrift, unsigned type)
{
  if (type == TRUE || type == FALSE)
    (void)thrift_byte(thrift);
  else
    thrift_skip(thrift, type);
}

static void thrift_skip_elements(struct thrift *thrift)
{
  unsigned type;

  for (uint64_t left = thrift_elements(thrift, &type); left > 0 && !thrift->bad; left--)
    thrift_skip_element(thrift, type);
}

static void thrift_skip_map(struct thrift *thrift)
{
  const uint64_t count = thrift_varint(thrift);
  const unsigned types = count > 0 ? thrift_byte(thrift) : 0;

  for (uint64_t left = count; left > 0 && !thrift->bad; left--) {
    thrift_skip_element(thrift, types >> 4);
    thrift_skip_element(thrift, types & 15);
  }
}

static void thrift_skip_struct(struct thrift *thrift)
{
  struct thrift_field field = {0};

  while (thrift_next(thrift, &field))
    thrift_skip(thrift, field.type);
}

/* Skips a value that contains others. */
static void thrift_skip_deep(struct thrift *thrift, unsigned type)
{
  if (thrift->depth == DEPTH_MOST) {
    thrift->bad = true;
    return;
  }
  thrift->depth++;
  if (type == MAP)
    thrift_skip_map(thrift);
  else if (type == THRIFT_STRUCT)
    thrift_skip_struct(thrift);
  else
    thrift_skip_elements(thrift);
  thrift->depth--;
}

void thrift_skip(struct thrift *thrift, unsigned type)
{
  switch (type) {
  case TRUE:
  case FALSE:
    return; /* the type is the value */
  case BYTE:
    (void)thrift_byte(thrift);
    return;
  case I16:
  case THRIFT_I32:
  case THRIFT_I64:
    (void)thrift_varint(thrift);
    return;
  case DOUBLE:
    (void)thrift_bytes(thrift, 8);
    return;
  case THRIFT_BINARY:
    (void)thrift_text(thrift);
    return;
  case UUID:
    (void)thrift_bytes(thrift, 16);
    return;
  case THRIFT_LIST:
  case SET:
  case MAP:
  case THRIFT_STRUCT:
    thrift_skip_deep(thrift, type);
    return;
  default:
    thrift->bad = true;
  }
}
