/*
 * replay.c FILE... - checks kept inputs without libFuzzer, with any compiler.
 *
 * More than one file is a corpus: together they must reach success and every status with which the
 * reader may refuse a file.  A single file is only checked, for debugging.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/target.h"

/* Reads a file; false if it cannot be read, or has 1 MiB or more, libFuzzer's limit. */
static bool replay_read(const char *path, fuzz_bytes *bytes)
{
  enum { MOST = 1 << 20 };
  FILE *file = fopen(path, "rb");

  if (file == NULL)
    return false;
  bytes->at = fuzz_memory(MOST);
  bytes->size = fread(bytes->at, 1, MOST, file);
  const bool whole = ferror(file) == 0 && feof(file) != 0;
  (void)fclose(file);
  return whole;
}

static bool replay_file(const char *path)
{
  fuzz_bytes bytes = {NULL, 0};
  const bool read = replay_read(path, &bytes);

  if (read) {
    /* exactly as long as the file, so that AddressSanitizer finds an access past its end */
    const fuzz_bytes exact = fuzz_bytes_copy(bytes.at, bytes.size, bytes.size);
    (void)LLVMFuzzerTestOneInput(exact.at, exact.size);
    free(exact.at);
  } else {
    (void)fprintf(stderr, "replay: %s cannot be read\n", path);
  }
  free(bytes.at);
  return read;
}

/* Prints how many files reached this status; returns whether any did. */
static bool replay_reached(lfb_status status)
{
  const uint64_t count = fuzz_reached(status);

  (void)printf("%6llu  %s\n", (unsigned long long)count, lfb_status_text(status));
  return count > 0;
}

static bool replay_reached_all(const fuzz_reader *reader)
{
  bool all = replay_reached(LFB_OK);

  for (const lfb_status *at = reader->refusals; *at != LFB_OK; at++)
    all &= replay_reached(*at);
  return all;
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    (void)fprintf(stderr, "replay: no file was given: nothing is checked\n");
    return 2;
  }
  for (int i = 1; i < argc; i++)
    if (!replay_file(argv[i]))
      return 2;
  if (argc == 2 || replay_reached_all(fuzz_target()))
    return 0;
  (void)fprintf(stderr, "replay: these files do not reach all that the reader can say\n");
  return 1;
}
