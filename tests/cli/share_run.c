/* share_run.c - a claim in a window of a file. */
#include "tests/cli/share_run.h"

#include <string.h>

#include "cli/base/command.h"
#include "cli/filters/source.h"

int share_run(const char* path, const char* text) {
  const struct options_count expected = {.value = 1000, .given = true};
  const struct window_span span = {.text = "1h", .number = 1, .unit = "h", .seconds = 3600};
  const struct options_key no_key = {.given = false};
  const struct keys_source no_input = {.paths = NULL};
  lfb_config config = {.fpp = 1e-9};
  const struct source_wish wish = {.command = &command_claim,
                                   .config = &config,
                                   .key = &no_key,
                                   .expected = &expected,
                                   .keys = &no_input,
                                   .span = &span,
                                   .any_strategy = true};
  const lfb_key key = {text, strlen(text)};
  struct source source = {.path = NULL};
  uint64_t answers[1];
  size_t claimed = 0;

  if (!source_share(path, &wish, &source))
    return -1;
  const bool done = source_do(&source, LFB_CLAIM, &key, 1, answers, &claimed);
  source_close(&source);
  return done ? (int)claimed : -1;
}
