/*
 * magic.h - the table of magic numbers: the first eight bytes of each of this library's forms; and
 * what the headers that begin with them have in common.
 *
 * The first six tell the forms apart (LFB_FORM_HEAD); the other two are checked with the header.
 * docs/formats.md has the forms.  Guava's and Parquet's have no magic number.
 */
#ifndef LFB_BLOOM_MAGIC_H
#define LFB_BLOOM_MAGIC_H

#include <lfbloom/status.h>

#include <stdbool.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

enum {
  LFB_MAGIC_SIZE = 8, /* bytes */
  LFB_FORM_HEAD = 6,  /* bytes that tell the forms apart: the shortest form's header */
  LFB_HEAD_SIZE = 256,     /* bytes of a header with a magic number */
  LFB_HEAD_AT_VERSION = 8, /* where its version is, in bytes from the start */
};

/* Bytes of words per checksum. */
#define LFB_CHECKED_BYTES (UINT64_C(1) << 20)

typedef enum lfb_magic {
  LFB_MAGIC_NATIVE,
  LFB_MAGIC_MAPPED,
  LFB_MAGIC_COUNTING,
  LFB_MAGIC_GROWING,
  LFB_MAGIC_GROWING_MAPPED,
  LFB_MAGIC_WINDOW,
  LFB_MAGIC_DELTA,
  LFB_MAGIC_NONE, /* also the number of magic numbers */
} lfb_magic;

/* The magic number that begins with these LFB_FORM_HEAD bytes, or LFB_MAGIC_NONE. */
lfb_magic lfb_magic_begun(const unsigned char *head);

/* Whether these LFB_MAGIC_SIZE bytes are this magic number. */
bool lfb_magic_is(const unsigned char *bytes, lfb_magic magic);

/* The LFB_MAGIC_SIZE bytes of a magic number other than LFB_MAGIC_NONE. */
const unsigned char *lfb_magic_bytes(lfb_magic magic);

/* Begins a header: the magic number, the version and the size; the rest is zero. */
void lfb_head_begin(unsigned char header[LFB_HEAD_SIZE], lfb_magic magic, uint32_t version);

/* Writes the checksum of a header, after all other fields. */
void lfb_head_end(unsigned char header[LFB_HEAD_SIZE]);

/* Checks how a header begins and its checksum.  Fails: LFB_ERROR_UNKNOWN_FORM, _UNKNOWN_VERSION,
 * _BAD_CHECKSUM. */
lfb_status lfb_head_check(const unsigned char header[LFB_HEAD_SIZE], lfb_magic magic,
                          uint32_t version);

/* Stores and loads a number of type double, by its bits as a little-endian word. */
void lfb_head_store_double(unsigned char *at, double value);
double lfb_head_load_double(const unsigned char *at);

/* Stores 8 bytes that tell the byte order of this processor. */
void lfb_head_store_order(unsigned char *at);

/* Reads them: `*other` receives whether they are of the other byte order.  Returns false if they
 * are neither. */
bool lfb_head_load_order(const unsigned char *at, bool *other);

/* Whether the size of a header is right, and its bytes from `reserved` up to the checksum are
 * zero. */
bool lfb_head_is_whole(const unsigned char header[LFB_HEAD_SIZE], uint32_t reserved);

LFB_EXTERN_C_END

#endif
