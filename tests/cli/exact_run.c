/* exact_run.c - `lfbloom dedupe` as a function. */
#include "tests/cli/exact_run.h"

#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/exact/exact.h"
#include "cli/exact/seen.h"

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
                                   .strategy = way->fast ? LFB_FAST : LFB_DEFAULT,
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
