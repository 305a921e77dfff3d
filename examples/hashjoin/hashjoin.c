/*
 * hashjoin.c - a runtime filter of a hash join: all threads put the build side's keys into one
 * filter, and the probe side drops the rows that it lacks, before they reach the hash table.
 *
 *     hashjoin BUILD_ROWS PROBE_ROWS BYTES THREADS
 *
 * The rows are made up: build row i has the key 10 i, probe row j the key j.  Nobody knows how many
 * distinct keys will come, so the filter's size is a number of bytes.  After the build it is folded
 * to what came, and dropped if it is too full to be worth a query.
 */
#include <lfbloom/filter_more.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOIN_LOST = 1, JOIN_TROUBLE = 2, JOIN_BATCH = 1024, JOIN_THREADS = 256, JOIN_STEP = 10 };

/* The rate that is planned, and the one from which a query costs more than it saves. */
static const double join_planned = 0.01, join_worth = 0.3;

typedef struct join {
  unsigned long long build_rows, probe_rows, bytes, threads;
  lfb_filter *filter; /* NULL: none was worth it */
} join;

/* A thread's share of the rows of one side. */
typedef struct share {
  const join *of;
  lfb_verb verb; /* LFB_PUT of the build side, LFB_MIGHT_CONTAIN of the probe side */
  uint64_t first, end;
  uint64_t dropped, lost; /* of the probe side; lost: although the build side has the key */
} share;

/* The engine's hash of a key, which its hash table uses, too: splitmix64. */
static uint64_t join_hash(uint64_t key)
{
  uint64_t z = (key + 1) * UINT64_C(0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void *share_run(void *argument)
{
  share *mine = argument;
  uint64_t hashes[JOIN_BATCH], answers[JOIN_BATCH / 64];

  for (uint64_t row = mine->first; row < mine->end; row += JOIN_BATCH) {
    const size_t count = mine->end - row < JOIN_BATCH ? (size_t)(mine->end - row) : JOIN_BATCH;
    for (size_t i = 0; i < count; i++)
      hashes[i] = join_hash((row + i) * (mine->verb == LFB_PUT ? JOIN_STEP : 1));
    const size_t present =
        lfb_filter_many(mine->of->filter, mine->verb, hashes, count, answers, LFB_HASH_KEY);
    for (size_t i = 0; mine->verb != LFB_PUT && i < count; i++)
      mine->lost += (row + i) % JOIN_STEP == 0 && (row + i) / JOIN_STEP < mine->of->build_rows &&
                    !lfb_answer(answers, i);
    mine->dropped += count - present;
  }
  return NULL;
}

/* Runs one side by all threads; their join orders all puts before the first query.  Returns the
 * sums of the shares. */
static share join_side(const join *of, lfb_verb verb, uint64_t rows)
{
  pthread_t threads[JOIN_THREADS];
  share shares[JOIN_THREADS], sum = {.of = of};

  for (uint64_t t = 0; t < of->threads; t++) {
    shares[t] = (share){of, verb, rows * t / of->threads, rows * (t + 1) / of->threads, 0, 0};
    if (pthread_create(&threads[t], NULL, share_run, &shares[t]) != 0) {
      (void)fprintf(stderr, "hashjoin: a thread cannot be started\n");
      exit(JOIN_TROUBLE);
    }
  }
  for (uint64_t t = 0; t < of->threads; t++) {
    pthread_join(threads[t], NULL);
    sum.dropped += shares[t].dropped;
    sum.lost += shares[t].lost;
  }
  return sum;
}

/* Folds the filter to what came: a smaller one stays in the cache.  Drops it if it is too full. */
static lfb_status join_finish(join *of)
{
  lfb_status status = LFB_ERROR_CANNOT_FOLD;
  lfb_filter *folded;
  lfb_stats stats;

  lfb_filter_stats(of->filter, &stats);
  uint64_t factor = stats.expected_insertions / (stats.approximate_count + 1);
  for (; factor > 1 && status == LFB_ERROR_CANNOT_FOLD; factor--)
    status = lfb_filter_fold(of->filter, factor, &folded);
  if (status == LFB_OK) {
    lfb_filter_free(of->filter);
    of->filter = folded;
    lfb_filter_stats(folded, &stats);
  }
  printf("filter: %llu bytes, rate %.4f\n", (unsigned long long)stats.bytes, stats.expected_fpp);
  if (stats.expected_fpp > join_worth) {
    lfb_filter_free(of->filter);
    of->filter = NULL;
  }
  return status == LFB_ERROR_CANNOT_FOLD ? LFB_OK : status;
}

static lfb_status join_run(join *of, share *probed)
{
  const lfb_config config = {.fpp = join_planned, .bytes = of->bytes, .foldable = true};

  lfb_status status = lfb_filter_create(&config, &of->filter);
  if (status != LFB_OK)
    return status;
  (void)join_side(of, LFB_PUT, of->build_rows);
  status = join_finish(of);
  if (status == LFB_OK && of->filter != NULL)
    *probed = join_side(of, LFB_MIGHT_CONTAIN, of->probe_rows);
  lfb_filter_free(of->filter);
  return status;
}

int main(int argc, char **argv)
{
  unsigned long long numbers[4] = {0}; /* in the order of the arguments */
  share probed = {.lost = 0};
  bool understood = argc == 5;

  for (int i = 0; understood && i < 4; i++) {
    char *end;
    numbers[i] = strtoull(argv[i + 1], &end, 10); /* too large and negative: above all limits */
    understood = end != argv[i + 1] && *end == '\0' && numbers[i] >= (i < 2 ? 0 : 1) &&
                 numbers[i] <= (i < 3 ? 1ULL << 40 : JOIN_THREADS);
  }
  if (!understood) {
    (void)fprintf(stderr, "usage: hashjoin BUILD_ROWS PROBE_ROWS BYTES THREADS\n");
    return JOIN_TROUBLE;
  }
  join of = {numbers[0], numbers[1], numbers[2], numbers[3], NULL};
  const lfb_status status = join_run(&of, &probed);
  if (status != LFB_OK) {
    (void)fprintf(stderr, "hashjoin: %s\n", lfb_status_text(status));
    return JOIN_TROUBLE;
  }
  printf("dropped early: %llu of %llu probe rows; lost: %llu\n", (unsigned long long)probed.dropped,
         of.probe_rows, (unsigned long long)probed.lost);
  return probed.lost == 0 ? 0 : JOIN_LOST;
}
