/* rice.c - see rice.h. */
#include "bloom/files/rice.h"

#include <stdlib.h>
#include <string.h>

#include "bloom/hashing/hash_function.h"

enum { RICE_CHUNK = 32 }; /* bits that are written or read at once, at most */

/* ---- writing ------------------------------------------------------------------------- */

/* Makes room for one more chunk. */
static bool rice_grow(lfb_rice_writer *writer)
{
  enum { RICE_FIRST = 256 };
  const size_t capacity = writer->capacity == 0 ? (size_t)RICE_FIRST : 2 * writer->capacity;
  unsigned char *bytes = capacity < writer->capacity ? NULL : realloc(writer->bytes, capacity);

  if (bytes == NULL) {
    writer->failed = true;
    return false;
  }
  writer->bytes = bytes;
  writer->capacity = capacity;
  return true;
}

/* Writes `count` bits, at most RICE_CHUNK. */
static void rice_put_bits(lfb_rice_writer *writer, uint64_t bits, uint32_t count)
{
  writer->pending |= bits << writer->pending_bits;
  writer->pending_bits += count;
  if (writer->pending_bits < RICE_CHUNK)
    return;
  if (!writer->failed &&
      (writer->capacity - writer->size >= sizeof(uint32_t) || rice_grow(writer))) {
    lfb_store_le32(writer->bytes + writer->size, (uint32_t)writer->pending);
    writer->size += sizeof(uint32_t);
  }
  writer->pending >>= RICE_CHUNK;
  writer->pending_bits -= RICE_CHUNK;
}

/* Writes the lowest `count` bits, at most 64. */
static void rice_put_long(lfb_rice_writer *writer, uint64_t bits, uint32_t count)
{
  const uint32_t low = count < RICE_CHUNK ? count : (uint32_t)RICE_CHUNK;

  rice_put_bits(writer, bits & ((UINT64_C(1) << low) - 1), low);
  if (count > low)
    rice_put_bits(writer, bits >> RICE_CHUNK & ((UINT64_C(1) << (count - low)) - 1), count - low);
}

void lfb_rice_put(lfb_rice_writer *writer, uint64_t value, uint32_t parameter)
{
  const uint64_t ones = value >> parameter;

  if (ones < LFB_RICE_ONES) {
    rice_put_bits(writer, (UINT64_C(1) << ones) - 1, (uint32_t)ones + 1);
    rice_put_long(writer, value, parameter);
  } else {
    const uint32_t width = 64 - (uint32_t)__builtin_clzll(value);
    rice_put_bits(writer, (UINT64_C(1) << LFB_RICE_ONES) - 1, LFB_RICE_ONES);
    rice_put_bits(writer, width - 1, LFB_RICE_WIDTH);
    rice_put_long(writer, value, width);
  }
}

void lfb_rice_end(lfb_rice_writer *writer)
{
  const uint32_t bytes = (writer->pending_bits + 7) / 8;

  rice_put_bits(writer, 0, RICE_CHUNK - writer->pending_bits);
  if (!writer->failed)
    writer->size -= sizeof(uint32_t) - bytes;
}

/* ---- reading ------------------------------------------------------------------------- */

/* The next bits, at least RICE_CHUNK; zeros after the end. */
static uint64_t rice_peek(const lfb_rice_reader *reader)
{
  const uint64_t from = reader->at / 8;
  unsigned char last[sizeof(uint64_t)] = {0};

  if (from < reader->size && reader->size - from >= sizeof last)
    return lfb_load_le64(reader->bytes + from) >> reader->at % 8;
  if (from < reader->size)
    memcpy(last, reader->bytes + from, (size_t)(reader->size - from));
  return lfb_load_le64(last) >> reader->at % 8;
}

/* Reads `count` bits, at most 64. */
static uint64_t rice_take_long(lfb_rice_reader *reader, uint32_t count)
{
  const uint32_t low = count < RICE_CHUNK ? count : (uint32_t)RICE_CHUNK;
  uint64_t bits = rice_peek(reader) & ((UINT64_C(1) << low) - 1);

  reader->at += low;
  if (count > low) {
    bits |= (rice_peek(reader) & ((UINT64_C(1) << (count - low)) - 1)) << RICE_CHUNK;
    reader->at += count - low;
  }
  return bits;
}

uint64_t lfb_rice_take(lfb_rice_reader *reader, uint32_t parameter)
{
  /* The bit above the ones that count ends them. */
  const uint64_t next = ~rice_peek(reader) | UINT64_C(1) << LFB_RICE_ONES;
  const uint64_t ones = (uint32_t)__builtin_ctzll(next);

  if (ones < LFB_RICE_ONES) {
    reader->at += ones + 1;
    return ones << parameter | rice_take_long(reader, parameter);
  }
  reader->at += LFB_RICE_ONES;
  return rice_take_long(reader, (uint32_t)rice_take_long(reader, LFB_RICE_WIDTH) + 1);
}

bool lfb_rice_ended(const lfb_rice_reader *reader)
{
  return (reader->at + 7) / 8 == reader->size && (reader->at % 8 == 0 || rice_peek(reader) == 0);
}

/* ---- the parameter ------------------------------------------------------------------- */

void lfb_rice_note(lfb_rice_histogram *histogram, uint64_t value)
{
  const int width = value == 0 ? 0 : 64 - __builtin_clzll(value);

  histogram->count[width]++;
  histogram->sum[width] += value;
}

/* About how many bits the numbers take. */
static double rice_cost(const lfb_rice_histogram *histogram, uint32_t parameter)
{
  double cost = 0;

  for (uint32_t width = 0; width <= 64; width++) {
    const double count = (double)histogram->count[width];
    if (histogram->count[width] == 0)
      continue;
    /* the ones of numbers that fall evenly between two multiples: half fewer than their part */
    const double part = (double)histogram->sum[width] / count / (double)(UINT64_C(1) << parameter);
    const double ones = width <= parameter ? 0 : parameter == 0 || part < 0.5 ? part : part - 0.5;
    cost += count * (ones < (double)LFB_RICE_ONES
                         ? ones + 1 + parameter
                         : (double)(LFB_RICE_ONES + LFB_RICE_WIDTH + width));
  }
  return cost;
}

uint32_t lfb_rice_best(const lfb_rice_histogram *histogram)
{
  uint32_t best = 0;

  for (uint32_t parameter = 1; parameter <= LFB_RICE_MOST; parameter++)
    if (rice_cost(histogram, parameter) < rice_cost(histogram, best))
      best = parameter;
  return best;
}
