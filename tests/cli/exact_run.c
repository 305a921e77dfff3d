/* exact_run.c - `lfbloom dedupe` as a function. */
#include "tests/cli/exact_run.h"

#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/exact/exact.h"
#include "cli/exact/seen.h"
#include "cli/exact/seen_file.h"

uint64_t exact_run_disorder(const char* path, enum exact_disorder how) {
  struct seen* const seen = seen_open(path, NULL);
  lfb_damage damage = {0};

  if (seen == NULL) return UINT64_MAX;
  struct seen_block block = *seen_find_block(seen, 0, 0);
  const struct exact_hash first = block.hashes[0];
  if (how == EXACT_ELSEWHERE) block.hashes[block.count - 1].high = UINT64_MAX;
  if (how == EXACT_SWAPPED) {
    block.hashes[0] = block.hashes[1];
    block.hashes[1] = first;
  }
  block.checksum = seen_checksum(seen->hash, &block.number, SEEN_BLOCK - sizeof block.checksum);
  const bool written = seen_write(seen, &block, sizeof block, seen->head.runs[0].at);
  seen_close(seen);
  return written && seen_verify(path, &damage) != LFB_ERROR_OPEN ? damage.count
                                                                        : UINT64_MAX;
}

int exact_run_way(const struct exact_way* way, struct exact_figures* figures) {
  _Atomic(uint64_t) bad = 0;
  char* const paths[] = {(char*)(uintptr_t)way->path};
  struct keys_source source = {.paths = paths,
                               .path_count = way->path != NULL,
                               .threads = way->threads,
                               .bad_lines = (enum keys_bad)way->bad_lines,
                               .bad = &bad,
                               .progress = PROGRESS_NEVER};
  struct exact exact = {.source = &source,
                        .tuning = {.table_most = way->table_most,
                                   .fpp = way->fpp,
                                   .between = way->between},
                        .memory = way->memory,
                        .prints = true,
                        .which = (enum exact_which)way->which,
                        .numbered = way->numbered,
                        .spill = {.folder = way->temp}};

  if (way->jsonl != NULL) {
    source.part.members[0] = way->jsonl;
    source.part.member_count = 1;
  }
  output_prepare();
  bool done = true;
  if (way->seen != NULL) {
    exact.seen = seen_open(way->seen, way->temp);
    done = exact.seen != NULL;
    exact.memory += done ? seen_bytes(exact.seen) : 0;
  }
  done = done && exact_run(&exact) && (exact.seen == NULL || seen_commit(exact.seen, way->memory));
  seen_close(exact.seen);
  *figures =
      (struct exact_figures){exact.in,          exact.out,      exact.reads,    exact.spill.count,
                             exact.spill.bytes, exact.repeated, figures->failed, ""};
  return done ? CLI_DONE : CLI_NOT_DONE;
}
