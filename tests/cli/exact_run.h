// exact_run.h - `lfbloom dedupe` as a function, with what a test changes: exact.h
// cannot be included in C++.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct exact_way {
  const char* path;  // NULL: standard input
  unsigned threads;
  uint64_t memory;      // without the threads' own
  uint64_t table_most;  // 0: two reads from the first line on
  double fpp;
  const char* temp;
  const char* jsonl;      // the member that is the key; NULL: the whole line
  int bad_lines;          // enum keys_bad
  void (*between)(void);  // before the last of several reads
  int which;              // enum exact_which
  bool numbered;
  const char* seen;  // of --seen; NULL: none
};

struct exact_figures {
  uint64_t in, out, reads, doubtful, temporary;
  uint64_t repeated;
  uint64_t failed;  // the call that failed, for the test
  char calls[64];   // at the file that was synced last: w(rite), s(ync), t(runcate), for the test
};

// The number of blocks that `verify` finds bad in a file of --seen after the first one was changed:
// two hashes have changed places, or the last one belongs elsewhere; its checksum is right.
enum exact_disorder { EXACT_ORDER, EXACT_SWAPPED, EXACT_ELSEWHERE };
uint64_t exact_run_disorder(const char* path, enum exact_disorder how);

// Prints to standard output.  Returns the exit status.
int exact_run_way(const struct exact_way* way, struct exact_figures* figures);

#ifdef __cplusplus
}
#endif
