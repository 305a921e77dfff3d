/*
 * rice.h - numbers as Golomb-Rice codes in a string of bits, from the lowest bit of each byte up.
 *
 * The code of a number v with parameter r: v >> r ones, a zero, the lowest r bits of v.  That is
 * near the shortest code of numbers that fall off geometrically, as gaps between random bits do.
 * From 24 ones on, other bits follow in place of the zero: 6 with the width of v less 1, then v.
 * So no number takes more than 94 bits.
 *
 * Source: R. F. Rice, "Some Practical Universal Noiseless Coding Techniques", 1979.
 */
#ifndef LFB_BLOOM_RICE_H
#define LFB_BLOOM_RICE_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

enum {
  LFB_RICE_ONES = 24,  /* from so many ones on, the number itself follows */
  LFB_RICE_WIDTH = 6,  /* bits of its width less 1                        */
  LFB_RICE_MOST = 40,  /* the largest parameter                           */
};

/* Bits that are written.  All zero is empty. */
typedef struct lfb_rice_writer {
  unsigned char *bytes; /* the owner frees them                      */
  size_t size, capacity; /* whole bytes, and for how many there is memory */
  uint64_t pending;     /* further bits, and how many: below 32      */
  uint32_t pending_bits;
  bool failed;          /* out of memory; further bits are dropped   */
} lfb_rice_writer;

/* Writes a number. */
void lfb_rice_put(lfb_rice_writer *writer, uint64_t value, uint32_t parameter);

/* Fills the last byte with zeros. */
void lfb_rice_end(lfb_rice_writer *writer);

/* Bits that are read. */
typedef struct lfb_rice_reader {
  const unsigned char *bytes;
  size_t size;
  uint64_t at; /* in bits; above 8 * size: the bits ended too early, and zeros were read */
} lfb_rice_reader;

/* Reads a number. */
uint64_t lfb_rice_take(lfb_rice_reader *reader, uint32_t parameter);

/* Whether all bits were read, and those that fill the last byte are zeros. */
bool lfb_rice_ended(const lfb_rice_reader *reader);

/* How numbers are distributed: how many there are of each width in bits, and their sum. */
typedef struct lfb_rice_histogram {
  uint64_t count[65], sum[65];
} lfb_rice_histogram;

void lfb_rice_note(lfb_rice_histogram *histogram, uint64_t value);

/* The parameter with which these numbers take about the fewest bits. */
uint32_t lfb_rice_best(const lfb_rice_histogram *histogram);

LFB_EXTERN_C_END

#endif
