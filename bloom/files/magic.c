/* magic.c - the table of magic numbers, and the headers that begin with them. */
#include "bloom/files/magic.h"

#include <string.h>

#include "bloom/filter/digest.h"
#include "bloom/hashing/murmur.h"

static const unsigned char magics[LFB_MAGIC_NONE][LFB_MAGIC_SIZE] = {
    [LFB_MAGIC_NATIVE] = {'L', 'F', 'B', 'L', 'O', 'O', 'M', '\n'},
    [LFB_MAGIC_MAPPED] = {'L', 'F', 'B', 'M', 'A', 'P', 'D', '\n'},
    [LFB_MAGIC_COUNTING] = {'L', 'F', 'B', 'C', 'N', 'T', 'S', '\n'},
    [LFB_MAGIC_GROWING] = {'L', 'F', 'B', 'G', 'R', 'O', 'W', '\n'},
    [LFB_MAGIC_GROWING_MAPPED] = {'L', 'F', 'B', 'G', 'M', 'A', 'P', '\n'},
    [LFB_MAGIC_WINDOW] = {'L', 'F', 'B', 'W', 'I', 'N', 'D', '\n'},
    [LFB_MAGIC_DELTA] = {'L', 'F', 'B', 'D', 'E', 'L', 'T', '\n'},
};

enum { HEAD_AT_SIZE = 12, HEAD_AT_CHECKSUM = 248 };

lfb_magic lfb_magic_begun(const unsigned char *head)
{
  int magic = 0;

  while (magic < (int)LFB_MAGIC_NONE && memcmp(head, magics[magic], LFB_FORM_HEAD) != 0)
    magic++;
  return (lfb_magic)magic;
}

bool lfb_magic_is(const unsigned char *bytes, lfb_magic magic)
{
  return memcmp(bytes, magics[magic], LFB_MAGIC_SIZE) == 0;
}

const unsigned char *lfb_magic_bytes(lfb_magic magic)
{
  return magics[magic];
}

void lfb_head_begin(unsigned char header[LFB_HEAD_SIZE], lfb_magic magic, uint32_t version)
{
  memset(header, 0, LFB_HEAD_SIZE);
  memcpy(header, magics[magic], LFB_MAGIC_SIZE);
  lfb_store_le32(header + LFB_HEAD_AT_VERSION, version);
  lfb_store_le32(header + HEAD_AT_SIZE, LFB_HEAD_SIZE);
}

void lfb_head_end(unsigned char header[LFB_HEAD_SIZE])
{
  lfb_store_le64(header + HEAD_AT_CHECKSUM, lfb_digest_xxh3(header, HEAD_AT_CHECKSUM));
}

lfb_status lfb_head_check(const unsigned char header[LFB_HEAD_SIZE], lfb_magic magic,
                          uint32_t version)
{
  if (!lfb_magic_is(header, magic))
    return LFB_ERROR_UNKNOWN_FORM;
  if (lfb_load_le32(header + LFB_HEAD_AT_VERSION) != version)
    return LFB_ERROR_UNKNOWN_VERSION;
  return lfb_load_le64(header + HEAD_AT_CHECKSUM) == lfb_digest_xxh3(header, HEAD_AT_CHECKSUM)
             ? LFB_OK
             : LFB_ERROR_BAD_CHECKSUM;
}

bool lfb_head_is_whole(const unsigned char header[LFB_HEAD_SIZE], uint32_t reserved)
{
  unsigned char any = 0;

  for (uint32_t i = reserved; i < HEAD_AT_CHECKSUM; i++)
    any |= header[i];
  return any == 0 && lfb_load_le32(header + HEAD_AT_SIZE) == LFB_HEAD_SIZE;
}

void lfb_head_store_double(unsigned char *at, double value)
{
  uint64_t bits;

  memcpy(&bits, &value, sizeof bits);
  lfb_store_le64(at, bits);
}

double lfb_head_load_double(const unsigned char *at)
{
  const uint64_t bits = lfb_load_le64(at);
  double value;

  memcpy(&value, &bits, sizeof value);
  return value;
}

static const uint64_t order_mark = UINT64_C(0x0102030405060708);

void lfb_head_store_order(unsigned char *at)
{
  memcpy(at, &order_mark, sizeof order_mark);
}

bool lfb_head_load_order(const unsigned char *at, bool *other)
{
  uint64_t mark;

  memcpy(&mark, at, sizeof mark);
  *other = mark != order_mark;
  return mark == order_mark || mark == __builtin_bswap64(order_mark);
}
