/* sink.c - collects the bytes that a funnel puts, and hashes them. */
#include "bloom/hashing/hasher.h"

struct lfb_sink {
  lfb_bytes_fn take;
  void *to;
};

void lfb_object_bytes(lfb_funnel funnel, const void *object, lfb_bytes_fn take, void *to)
{
  funnel(object, &(lfb_sink){.take = take, .to = to});
}

/* ---- hashing ------------------------------------------------------------------------------ */

/* Collects a key.  A key that fits is hashed whole; of a longer one a piece is hashed when the next
 * byte comes. */
typedef struct sink_key {
  lfb_hash_pieces pieces;
  size_t kept; /* bytes of the piece */
  unsigned char bytes[LFB_AES_GROUP + LFB_HASH_PIECE]; /* the last of the piece before; the piece */
} sink_key;

static lfb_hash sink_piece(sink_key *key)
{
  const lfb_hash_function *const function = key->pieces.hasher->function;
  return function->piece(&key->pieces, key->bytes + LFB_AES_GROUP, key->kept);
}

/* An lfb_bytes_fn. */
static void sink_collect(void *to, const void *bytes, size_t size)
{
  sink_key *const key = to;
  const unsigned char *at = bytes;

  for (size_t some; size > 0; at += some, size -= some) {
    if (key->kept == LFB_HASH_PIECE) {
      (void)sink_piece(key);
      memcpy(key->bytes, key->bytes + LFB_HASH_PIECE, LFB_AES_GROUP);
      key->pieces.before += LFB_HASH_PIECE;
      key->kept = 0;
    }
    some = size < LFB_HASH_PIECE - key->kept ? size : LFB_HASH_PIECE - key->kept;
    memcpy(key->bytes + LFB_AES_GROUP + key->kept, at, some);
    key->kept += some;
  }
}

lfb_hash lfb_sink_hash(const lfb_hasher *hasher, lfb_funnel funnel, const void *object)
{
  sink_key key;

  key.pieces.hasher = hasher;
  key.pieces.before = 0;
  key.kept = 0;
  lfb_object_bytes(funnel, object, sink_collect, &key);
  return key.pieces.before > 0 ? sink_piece(&key)
                               : lfb_hasher_bytes(hasher, key.bytes + LFB_AES_GROUP, key.kept);
}

/* ---- putting ------------------------------------------------------------------------------ */

void lfb_sink_put_bytes(lfb_sink *sink, const void *bytes, size_t size)
{
  if (size > 0)
    sink->take(sink->to, bytes, size);
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
