/* dedupe_exact.c - `lfbloom dedupe` without -p: without loss. */
#define _DEFAULT_SOURCE /* getrusage, clock_gettime */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/commands/dedupe.h"
#include "cli/exact/exact.h"

/* The most memory that the process had. */
static uint64_t dedupe_peak_bytes(void)
{
  struct rusage usage;

  return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static void dedupe_exact_json(const struct dedupe *dedupe, const struct exact *exact)
{
  json_open(NULL);
  json_count("in", figure_get(&exact->in));
  json_count("out", figure_get(&exact->out));
  json_float("expected_false_positives", 0);
  json_count("repeated_keys", figure_get(&exact->repeated));
  json_count("reads", exact->reads);
  json_count("doubtful", exact->spill.count);
  json_count("temporary_bytes", exact->spill.bytes);
  json_count("memory_bytes", exact->memory);
  json_count("peak_bytes", dedupe_peak_bytes());
  json_count("bad_lines", figure_get(&dedupe->bad_lines));
  json_count("threads", dedupe->source.threads);
  json_float("seconds", dedupe->seconds);
  json_close();
}

static void dedupe_exact_text(const struct dedupe *dedupe, const struct exact *exact)
{
  const uint64_t in = figure_get(&exact->in);
  const double seconds = dedupe->seconds > 0 ? dedupe->seconds : 1e-9;

  if (exact->spill.count > 0)
    report_note("%s lines were decided by temporary files of %s",
                human_count(exact->spill.count).text, human_bytes(exact->spill.bytes).text);
  report_note("%s key%s in, %s out, %s came again; in %s; %s, %s keys/s", human_count(in).text,
              in == 1 ? "" : "s", human_count(figure_get(&exact->out)).text,
              human_count(figure_get(&exact->repeated)).text, human_bytes(dedupe_peak_bytes()).text,
              human_seconds(dedupe->seconds).text, human_short((double)in / seconds).text);
}

/* Chooses the memory.  False after a report. */
static bool dedupe_exact_memory(struct dedupe *dedupe, struct exact *exact)
{
  const uint64_t least = exact_memory_least(&exact->tuning, dedupe->source.threads) +
                         (dedupe->seen != NULL ? seen_bytes(dedupe->seen) : 0);

  exact->memory = dedupe->memory.given ? dedupe->memory.value : memory_usable("") / 2;
  if (exact->memory >= least)
    return true;
  return report_false("dedupe: %u thread%s%s need%s at least %s of memory; give more --memory%s",
                      dedupe->source.threads, dedupe->source.threads == 1 ? "" : "s",
                      dedupe->seen != NULL ? " and the filters of --seen" : "",
                      dedupe->source.threads == 1 && dedupe->seen == NULL ? "s" : "",
                      human_bytes(least).text,
                      dedupe->source.threads == 1 ? "" : ", or fewer --threads");
}

int dedupe_exactly(struct dedupe *dedupe)
{
  struct exact exact = {.source = &dedupe->source,
                        .tuning = exact_tuning_default(),
                        .prints = !dedupe->json,
                        .which = dedupe->repeated ? EXACT_REPEATED
                                 : dedupe->unique ? EXACT_UNIQUE
                                                  : EXACT_FIRST,
                        .numbered = dedupe->counted,
                        .spill = {.folder = dedupe->temp}};
  const uint64_t began = clock_ns();

  if (!keys_check(&dedupe->source, &command_dedupe) ||
      (dedupe->temp != NULL && !spill_check(&exact.spill)) ||
      (dedupe->seen_path != NULL &&
       (dedupe->seen = seen_open(dedupe->seen_path, dedupe->temp)) == NULL) ||
      !dedupe_exact_memory(dedupe, &exact))
    return CLI_NOT_DONE;
  exact.seen = dedupe->seen;
  dedupe->given_memory = exact.memory;
  if (!exact_run(&exact))
    return CLI_NOT_DONE;
  dedupe->seconds = clock_seconds(clock_ns() - began);
  if (dedupe->json)
    dedupe_exact_json(dedupe, &exact);
  else if (!dedupe->quiet)
    dedupe_exact_text(dedupe, &exact);
  return CLI_DONE;
}

/* Whether what was printed is where it stays, as far as the system knows. */
static bool dedupe_is_out(void)
{
  if (fsync(STDOUT_FILENO) == 0 || errno == EINVAL || errno == EROFS) /* these: not on a disk */
    return true;
  return report_false_errno("standard output");
}

int dedupe_remember(struct dedupe *dedupe, int status)
{
  if (dedupe->seen != NULL && status == CLI_DONE &&
      !(dedupe_is_out() && seen_commit(dedupe->seen, dedupe->given_memory)))
    status = CLI_NOT_DONE;
  seen_close(dedupe->seen);
  dedupe->seen = NULL;
  return status;
}
