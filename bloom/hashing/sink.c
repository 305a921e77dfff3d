/* sink.c - puts values into a sink; the ready-made funnels. */
#include "bloom/hashing/hasher.h"

lfb_hash lfb_sink_hash(const lfb_hasher *hasher, lfb_funnel funnel, const void *object)
{
  lfb_sink sink;

  lfb_hash_stream_init(&sink.stream, hasher);
  funnel(object, &sink);
  return lfb_hash_stream_finish(&sink.stream);
}

/* ---- a sink that passes the bytes on ------------------------------------------------------ */

/* Takes the place of a hasher: its functions pass the bytes on and hash nothing. */
typedef struct sink_passing {
  lfb_hasher hasher; /* only its function is set */
  lfb_bytes_fn take;
  void *to;
} sink_passing;

static const sink_passing *passing_of(const lfb_hasher *hasher)
{
  return (const sink_passing *)(const void *)hasher;
}

static lfb_hash passing_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  passing_of(hasher)->take(passing_of(hasher)->to, bytes, size);
  return (lfb_hash){0, 0};
}

static void passing_absorb(lfb_hash_stream *stream, const unsigned char *groups, size_t count)
{
  (void)passing_bytes(stream->hasher, groups, count * LFB_HASH_GROUP);
}

static lfb_hash passing_finish(lfb_hash_stream *stream, const unsigned char *rest, size_t left,
                               uint64_t size)
{
  (void)size;
  return passing_bytes(stream->hasher, rest, left);
}

void lfb_object_bytes(lfb_funnel funnel, const void *object, lfb_bytes_fn take, void *to)
{
  static const lfb_hash_function passing = {
      .bytes = passing_bytes, .absorb = passing_absorb, .finish = passing_finish};
  sink_passing pass;

  pass.hasher.function = &passing;
  pass.take = take;
  pass.to = to;
  (void)lfb_sink_hash(&pass.hasher, funnel, object);
}

/* ---- putting ------------------------------------------------------------------------------ */

void lfb_sink_put_bytes(lfb_sink *sink, const void *bytes, size_t size)
{
  lfb_hash_stream_put(&sink->stream, bytes, size);
}

void lfb_sink_put_i32(lfb_sink *sink, int32_t value)
{
  const uint32_t little = LFB_LITTLE_32((uint32_t)value);
  lfb_sink_put_bytes(sink, &little, sizeof little);
}

void lfb_sink_put_i64(lfb_sink *sink, int64_t value)
{
  const uint64_t little = LFB_LITTLE_64((uint64_t)value);
  lfb_sink_put_bytes(sink, &little, sizeof little);
}

void lfb_sink_put_utf16(lfb_sink *sink, const uint16_t *units, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const unsigned char pair[2] = {(unsigned char)units[i], (unsigned char)(units[i] >> 8)};
    lfb_sink_put_bytes(sink, pair, sizeof pair);
  }
}

static bool utf16_is_high(uint16_t unit)
{
  return (unit & 0xfc00) == 0xd800;
}

static bool utf16_is_low(uint16_t unit)
{
  return (unit & 0xfc00) == 0xdc00;
}

/* Puts a code point, below 2^21, as 1 to 4 bytes of UTF-8. */
static void sink_put_code_point(lfb_sink *sink, uint32_t point)
{
  unsigned char bytes[4];
  const size_t more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0x00, 0xc0, 0xe0, 0xf0};

  for (size_t i = more; i > 0; i--, point >>= 6)
    bytes[i] = (unsigned char)(0x80 | (point & 0x3f));
  bytes[0] = (unsigned char)(lead[more] | point);
  lfb_sink_put_bytes(sink, bytes, more + 1);
}

void lfb_sink_put_utf16_as_utf8(lfb_sink *sink, const uint16_t *units, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const uint16_t unit = units[i];
    uint32_t point = unit;
    if (utf16_is_high(unit) && i + 1 < count && utf16_is_low(units[i + 1]))
      point = 0x10000 + ((uint32_t)(unit & 0x3ff) << 10) + (units[++i] & 0x3ff);
    else if (utf16_is_high(unit) || utf16_is_low(unit))
      point = '?';
    sink_put_code_point(sink, point);
  }
}

void lfb_funnel_bytes(const void *object, lfb_sink *sink)
{
  const lfb_key *key = object;
  lfb_sink_put_bytes(sink, key->bytes, key->size);
}

void lfb_funnel_i32(const void *object, lfb_sink *sink)
{
  const int32_t *value = object;
  lfb_sink_put_i32(sink, *value);
}

void lfb_funnel_i64(const void *object, lfb_sink *sink)
{
  const int64_t *value = object;
  lfb_sink_put_i64(sink, *value);
}

void lfb_funnel_utf16(const void *object, lfb_sink *sink)
{
  const lfb_utf16 *text = object;
  lfb_sink_put_utf16(sink, text->units, text->count);
}

void lfb_funnel_utf16_as_utf8(const void *object, lfb_sink *sink)
{
  const lfb_utf16 *text = object;
  lfb_sink_put_utf16_as_utf8(sink, text->units, text->count);
}

void lfb_funnel_sequence(const void *object, lfb_sink *sink)
{
  const lfb_sequence *sequence = object;
  const char *at = sequence->first;

  for (size_t i = 0; i < sequence->count; i++)
    sequence->funnel(at + i * sequence->stride, sink);
}
