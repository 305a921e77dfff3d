/*
 * codec.h - decompresses one format.  cli/input/packed.h reads files by it.
 *
 * A compressed file holds one member or several (frames for zstd, streams for xz), whose texts
 * follow one another.
 */
#ifndef CLI_INPUT_CODEC_H
#define CLI_INPUT_CODEC_H

#include <stdbool.h>
#include <stddef.h>

/* What a step may read and write.  It advances the pointers and reduces the sizes. */
struct codec_flow {
  const unsigned char *in;
  size_t in_size;
  unsigned char *out;
  size_t out_size;
  bool last; /* no input follows that of `in` */
};

enum codec_result {
  CODEC_INSIDE,  /* in a member, whose end is to come           */
  CODEC_BETWEEN, /* after a member: the file may end here       */
  CODEC_FOREIGN, /* a member should begin, but does not         */
  CODEC_FAILED,  /* `*problem` says why                         */
};

struct codec {
  const char *suffix;   /* of the names of such files               */
  const char *format;   /* its name, for reports                    */
  const char *command;  /* that decompresses to standard output     */
  const char *library;  /* that a build without this format lacks   */
  void *(*begin)(void); /* NULL: no memory.  A null pointer: built without the library */
  enum codec_result (*step)(void *state, struct codec_flow *flow, const char **problem);
  void (*end)(void *state);
};

extern const struct codec codec_gzip;
extern const struct codec codec_zstd;
extern const struct codec codec_xz;

#endif
