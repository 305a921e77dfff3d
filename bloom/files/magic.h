/*
 * magic.h - the table of magic numbers: the first eight bytes of each of this library's forms.
 *
 * The first six tell the forms apart (LFB_FORM_HEAD); the other two are checked with the header.
 * docs/formats.md has the forms.  Guava's and Parquet's have no magic number.
 */
#ifndef LFB_BLOOM_MAGIC_H
#define LFB_BLOOM_MAGIC_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_MAGIC_SIZE = 8, /* bytes */
  LFB_FORM_HEAD = 6,  /* bytes that tell the forms apart: the shortest form's header */
};

typedef enum lfb_magic {
  LFB_MAGIC_NATIVE,
  LFB_MAGIC_MAPPED,
  LFB_MAGIC_COUNTING,
  LFB_MAGIC_GROWING,
  LFB_MAGIC_GROWING_MAPPED,
  LFB_MAGIC_NONE, /* also the number of magic numbers */
} lfb_magic;

/* The magic number that begins with these LFB_FORM_HEAD bytes, or LFB_MAGIC_NONE. */
lfb_magic lfb_magic_begun(const unsigned char *head);

/* Whether these LFB_MAGIC_SIZE bytes are this magic number. */
bool lfb_magic_is(const unsigned char *bytes, lfb_magic magic);

/* The LFB_MAGIC_SIZE bytes of a magic number other than LFB_MAGIC_NONE. */
const unsigned char *lfb_magic_bytes(lfb_magic magic);

#ifdef __cplusplus
}
#endif

#endif
