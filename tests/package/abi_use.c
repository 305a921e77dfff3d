/*
 * abi_use.c - a program that exchanges each public struct of liblfbloom with the library, for
 * abi_test.sh, which runs it with libraries of another version.
 *
 * With GROWN it is compiled with headers that have a field more, `grown`, in each struct with
 * reserved words.  Its argument says whether the library knows this field: "known" or "unknown".
 *
 * A word before and after each struct must stay as it is.
 */
#include <lfbloom/file_source.h>
#include <lfbloom/filter_more.h>
#include <lfbloom/follow.h>
#include <lfbloom/growing.h>
#include <lfbloom/version.h>
#include <lfbloom/window.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK UINT64_C(0x5a5a5a5a5a5a5a5a)

static void check(int right, const char* what) {
  if (right)
    return;
  fprintf(stderr, "abi_use: %s\n", what);
  exit(1);
}

#define CHECK(right) check(right, #right)

/* Declares a struct between two marks, and fills it with other bits. */
#define GUARDED(type, name)                 \
  struct {                                  \
    uint64_t before;                        \
    type it;                                \
    uint64_t after;                         \
  } name = {.before = MARK, .after = MARK}; \
  memset(&(name).it, 0xa5, sizeof(name).it)

#define CHECK_GUARDED(name)                                                      \
  check((name).before == MARK && (name).after == MARK, #name " is overwritten"); \
  printf("%s %zu\n", #name, sizeof(name).it)

static lfb_config config_make(void) {
  return (lfb_config){.expected_insertions = 1000, .fpp = 0.01, .strategy = LFB_FAST};
}

static void use_filter(lfb_filter* filter) {
  GUARDED(lfb_stats, stats);
  GUARDED(lfb_comparison, comparison);

  CHECK(lfb_filter_put(filter, "apple", 5));
  CHECK(lfb_filter_might_contain(filter, "apple", 5));
  lfb_filter_stats(filter, &stats.it);
  CHECK(stats.it.expected_insertions == 1000 && stats.it.approximate_count == 1);
  CHECK(stats.it.counters_stuck == 0 && stats.it.reserved[0] == 0);
  CHECK_GUARDED(stats);
  CHECK(lfb_filter_compare(filter, filter, &comparison.it) == LFB_OK);
  CHECK(comparison.it.b_in_a.value == 1 && comparison.it.reserved[0] == 0);
  CHECK_GUARDED(comparison);
#ifdef GROWN
  CHECK(stats.it.grown == 0 && comparison.it.grown == 0);
#endif
}

static void use_files(const lfb_filter* filter, const char* path) {
  GUARDED(lfb_damage, damage);
  const lfb_read_limits limits = {.max_bytes = 1 << 20, .damage = &damage.it};
  lfb_filter* loaded;

  CHECK(lfb_filter_save(filter, LFB_FORM_NATIVE, path) == LFB_OK);
  CHECK(lfb_filter_load(path, &limits, &loaded) == LFB_OK);
  CHECK(damage.it.count == 0 && damage.it.first[LFB_DAMAGE_LISTED - 1].size == 0);
  CHECK_GUARDED(damage);
  lfb_filter_free(loaded);
}

static void use_growing(void) {
  const lfb_config config = config_make();
  GUARDED(lfb_growing_figures, growing_figures);
  lfb_growing* growing;

  CHECK(lfb_growing_create(&config, &growing) == LFB_OK);
  lfb_growing_stats(growing, &growing_figures.it);
  CHECK(growing_figures.it.layers == 1);
  CHECK_GUARDED(growing_figures);
  lfb_growing_free(growing);
}

static void use_window(void) {
  const lfb_window_config config = {.expected_insertions = 1000, .fpp = 0.01};
  GUARDED(lfb_window_figures, window_figures);
  lfb_window* window;

  CHECK(lfb_window_create(&config, &window) == LFB_OK);
  CHECK(lfb_window_put(window, "apple", 5));
  lfb_window_stats(window, &window_figures.it);
  CHECK(window_figures.it.live[0].approximate_count == 1);
  CHECK(window_figures.it.live[LFB_WINDOW_LIVE - 1].bits_set == 0);
  CHECK_GUARDED(window_figures);
  lfb_window_free(window);
}

/* A struct by value from the library, and a struct of functions to it. */
static void use_follow(const char* path) {
  const lfb_config config = config_make();
  const lfb_follow_config follow_config = {.rebuild = config, .poll_seconds = 3600};
  GUARDED(lfb_follow_figures, follow_figures);
  GUARDED(lfb_versions_figures, versions_figures); /* a struct within a struct */
  lfb_versions* versions;
  lfb_file_source* files;
  lfb_follow* follow;
  lfb_followed what;

  CHECK(lfb_versions_create(&config, &versions) == LFB_OK);
  CHECK(lfb_file_source_create(path, NULL, NULL, NULL, &files) == LFB_OK);
  const lfb_source source = lfb_file_source_functions(files);
  CHECK(source.self == files && source.filter != NULL && source.reserved[0] == 0);
  CHECK(lfb_follow_create(versions, &source, &follow_config, &follow) == LFB_OK);
  CHECK(lfb_follow_poll(follow, 1000, &what) == LFB_OK);
  CHECK(lfb_versions_might_contain(versions, "apple", 5));
  lfb_follow_stats(follow, &follow_figures.it);
  CHECK(follow_figures.it.rebuilds == 1 && follow_figures.it.retry_at == 0);
  CHECK_GUARDED(follow_figures);
  lfb_versions_stats(versions, &versions_figures.it);
  CHECK(versions_figures.it.all.expected_insertions == 1000 && versions_figures.it.number == 2);
  CHECK_GUARDED(versions_figures);
  lfb_follow_free(follow);
  lfb_file_source_free(files);
  lfb_versions_free(versions);
}

#ifdef GROWN
/* A field that the library does not know is refused if it is set. */
static void use_grown(int known) {
  lfb_config config = config_make();
  lfb_window_config window_config = {.expected_insertions = 1000, .fpp = 0.01, .grown = 1};
  lfb_filter* filter = NULL;
  lfb_window* window = NULL;

  config.grown = 1;
  CHECK(lfb_filter_create(&config, &filter) == (known ? LFB_OK : LFB_ERROR_RESERVED));
  CHECK(lfb_window_create(&window_config, &window) == (known ? LFB_OK : LFB_ERROR_RESERVED));
  CHECK((filter != NULL) == known && (window != NULL) == known);
  lfb_filter_free(filter);
  lfb_window_free(window);
}
#endif

int main(int argc, char** argv) {
  const lfb_config config = config_make();
  lfb_filter* filter;

  if (argc != 3)
    return 2;
  CHECK(lfb_version() >= LFB_VERSION);
  CHECK(lfb_filter_create(&config, &filter) == LFB_OK);
  use_filter(filter);
  use_files(filter, argv[2]);
  use_growing();
  use_window();
  use_follow(argv[2]);
#ifdef GROWN
  use_grown(strcmp(argv[1], "known") == 0);
#endif
  lfb_filter_free(filter);
  return 0;
}
