/*
 * lfbloom/sink.h - turns a caller's object into the bytes that are hashed.
 *
 * A funnel is a caller's function that puts an object's fields into a sink, one after another.
 * The hash is that of all bytes put, in order, as Guava's PrimitiveSink defines them.  A filter
 * that was filled here through a funnel therefore gives the same answers in Java, through the
 * funnel of the same fields.
 *
 * Fields     If fields vary in size, put their size or a separator, too: otherwise "ab" + "c"
 *            equals "a" + "bc".
 * Progress   Wait-free; nothing is allocated, for an object of any size: a long one is hashed in
 *            pieces of 1 KiB.
 * Threads    A sink belongs to the call that made it.  A funnel must be callable by any number of
 *            threads at once.
 *
 * Source: Guava Funnels.java, AbstractByteHasher.java.
 */
#ifndef LFBLOOM_SINK_H
#define LFBLOOM_SINK_H

#include <lfbloom/status.h>
#include <stddef.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

/* Receives an object from a funnel.  Exists only during the funnel's call. */
typedef struct lfb_sink lfb_sink;

/* Puts the bytes that identify `object` into `sink`; for the same object always the same. */
typedef void (*lfb_funnel)(const void *object, lfb_sink *sink);

/* A key of `size` bytes; bytes may be NULL if size is 0. */
typedef struct lfb_key {
  const void *bytes; /* the caller's */
  size_t size;       /* at least 0   */
} lfb_key;

/* Text as Java holds it: `count` UTF-16 code units. */
typedef struct lfb_utf16 {
  const uint16_t *units; /* in the processor's byte order  */
  size_t count;          /* of units, not of characters    */
} lfb_utf16;

/* `count` objects in a row, `stride` bytes from one to the next, each through `funnel`. */
typedef struct lfb_sequence {
  const void *first; /* object                  */
  size_t count;      /* of objects              */
  size_t stride;     /* in bytes                */
  lfb_funnel funnel; /* for each of the objects */
} lfb_sequence;

/* Puts `size` bytes unchanged; also for UTF-8 text, valid or not. */
LFB_API void lfb_sink_put_bytes(lfb_sink *sink, const void *bytes, size_t size);

/* Puts the low `size` bytes, at most 8, of a number, little-endian. */
static inline void lfb_sink_put_little(lfb_sink *sink, uint64_t value, size_t size)
{
  unsigned char bytes[8];

  for (size_t i = 0; i < size; i++)
    bytes[i] = (unsigned char)(value >> (8 * i));
  lfb_sink_put_bytes(sink, bytes, size);
}

/* Puts 4 bytes, little-endian: Java's putInt. */
static inline void lfb_sink_put_i32(lfb_sink *sink, int32_t value)
{
  lfb_sink_put_little(sink, (uint32_t)value, 4);
}

/* Puts 8 bytes, little-endian: Java's putLong. */
static inline void lfb_sink_put_i64(lfb_sink *sink, int64_t value)
{
  lfb_sink_put_little(sink, (uint64_t)value, 8);
}

/* Puts each code unit as 2 bytes, little-endian: Java's putUnencodedChars. */
static inline void lfb_sink_put_utf16(lfb_sink *sink, const uint16_t *units, size_t count)
{
  for (size_t i = 0; i < count; i++)
    lfb_sink_put_little(sink, units[i], 2);
}

/*
 * Puts UTF-16 text as UTF-8: Java's putString(text, UTF_8).  A surrogate without its other half
 * becomes '?', as in Java's encoder.
 */
LFB_API void lfb_sink_put_utf16_as_utf8(lfb_sink *sink, const uint16_t *units, size_t count);

/* Funnels for plain objects, each of a pointer to one.  This one puts the bytes of an lfb_key. */
static inline void lfb_funnel_bytes(const void *key, lfb_sink *sink)
{
  const lfb_key *of = (const lfb_key *)key;
  lfb_sink_put_bytes(sink, of->bytes, of->size);
}

/* Puts an int32_t. */
static inline void lfb_funnel_i32(const void *value, lfb_sink *sink)
{
  lfb_sink_put_i32(sink, *(const int32_t *)value);
}

/* Puts an int64_t. */
static inline void lfb_funnel_i64(const void *value, lfb_sink *sink)
{
  lfb_sink_put_i64(sink, *(const int64_t *)value);
}

/* Puts the code units of an lfb_utf16. */
static inline void lfb_funnel_utf16(const void *text, lfb_sink *sink)
{
  const lfb_utf16 *of = (const lfb_utf16 *)text;
  lfb_sink_put_utf16(sink, of->units, of->count);
}

/* Puts an lfb_utf16 as UTF-8. */
static inline void lfb_funnel_utf16_as_utf8(const void *text, lfb_sink *sink)
{
  const lfb_utf16 *of = (const lfb_utf16 *)text;
  lfb_sink_put_utf16_as_utf8(sink, of->units, of->count);
}

/* Puts the objects of an lfb_sequence, in order. */
static inline void lfb_funnel_sequence(const void *sequence, lfb_sink *sink)
{
  const lfb_sequence *of = (const lfb_sequence *)sequence;
  const char *at = (const char *)of->first;

  for (size_t i = 0; i < of->count; i++)
    of->funnel(at + i * of->stride, sink);
}

/* The caller's function that takes the next `size` bytes of an object; `bytes` is valid during the
 * call only. */
typedef void (*lfb_bytes_fn)(void *to, const void *bytes, size_t size);

/*
 * Passes the bytes that a funnel puts for an object to `take`, in order and in any number of
 * pieces, none of them empty.  They are the key as filters hash it, for a caller that hashes or
 * stores it.
 */
LFB_API void lfb_object_bytes(lfb_funnel funnel, const void *object, lfb_bytes_fn take, void *to);

LFB_EXTERN_C_END

#endif
