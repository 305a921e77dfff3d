/* later.c - puts filters into others in small steps. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "redis/module/later.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bloom/filter/digest.h"
#include "bloom/filter/figures.h"
#include "bloom/filter/filter.h"
#include "bloom/hashing/hasher.h"
#include "redis/module/memory.h"

enum {
  /* A piece is first touched memory, a page: 2 to 10 us.  So a BF.MADD of 1,000 items, each in
   * another piece, takes at most some 10 ms. */
  PIECE_WORDS = 512,
  STEP_NS = 1000 * 1000,
  HELD_MOST = 16,
  JOBS_MOST = 16, /* one more does the oldest first: each key has to look at each job */
};

typedef struct job {
  struct job *next; /* a younger one */
  lfb_filter *to;
  const lfb_filter *from;
  bool copies;         /* `to` was empty, and has had the count of `from` since then */
  uint64_t full;       /* words that damage may still fill: filter_put_from() (bloom/filter) */
  uint64_t next_piece; /* all before are done */
  uint64_t *done;      /* a bit for each piece */
} job;

static pthread_mutex_t later_lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static job *jobs;
static pthread_t jobs_thread; /* that began them */
static _Atomic(uint32_t) job_count;

/* Filters that other threads read, and those that are to be freed when nothing needs them. */
static struct {
  const lfb_filter *filters[HELD_MOST];
  size_t count;
} held;
static struct {
  lfb_filter *filters[2 * JOBS_MOST + HELD_MOST];
  size_t count;
} ended;

static void later_acquire(void)
{
  (void)pthread_mutex_lock(&later_lock);
}

static void later_release(void)
{
  (void)pthread_mutex_unlock(&later_lock);
}

bool lfb_later_begin(void)
{
  return pthread_atfork(later_acquire, later_release, later_release) == 0;
}

/* Whether there is a job: nearly never.  The thread that begins jobs asks. */
static bool later_waits(void)
{
  /* relaxed: the lock orders what a job is. */
  return atomic_load_explicit(&job_count, memory_order_relaxed) > 0;
}

static uint64_t job_pieces(const job *which)
{
  return (which->to->layout.bits.word_count + PIECE_WORDS - 1) / PIECE_WORDS;
}

static bool job_has_done(const job *which, uint64_t piece)
{
  return piece >= job_pieces(which) || lfb_answer(which->done, piece);
}

static uint64_t *piece_of(const lfb_filter *filter, uint64_t piece)
{
  return (uint64_t *)filter->pages.address + piece * PIECE_WORDS;
}

static size_t piece_words(const lfb_filter *filter, uint64_t piece)
{
  const uint64_t left = filter->layout.bits.word_count - piece * PIECE_WORDS;
  return left < PIECE_WORDS ? (size_t)left : (size_t)PIECE_WORDS;
}

static void job_do(job *which, uint64_t piece);

/* Does a piece of the older jobs that change what this one reads or changes, or read what it
 * changes. */
static void older_do(const job *which, uint64_t piece)
{
  for (job *older = jobs; older != which; older = older->next)
    if (older->to == which->from || older->to == which->to || older->from == which->to)
      job_do(older, piece);
}

/* Does a piece, after that of older jobs. */
static void job_do(job *which, uint64_t piece)
{
  if (job_has_done(which, piece))
    return;
  older_do(which, piece);
  const size_t count = piece_words(which->to, piece);
  uint64_t *to = piece_of(which->to, piece), filled = 0;
  const uint64_t *from = piece_of(which->from, piece);
  const uint64_t before = which->copies ? 0 : lfb_digest_bits(to, count);
  for (size_t i = 0; which->full > 0 && i < count; i++)
    filled += to[i] != UINT64_MAX && from[i] == UINT64_MAX;
  for (size_t i = 0; i < count; i++)
    to[i] |= from[i];
  if (!which->copies)
    lfb_bit_array_add(&which->to->layout.bits, lfb_digest_bits(to, count) - before);
  filled = filled < which->full ? filled : which->full;
  which->full -= filled;
  if (filled > 0) /* release: as filter_put_from() */
    (void)lfb_add_u64(&which->to->full_words, filled, memory_order_release);
  which->done[piece / 64] |= UINT64_C(1) << piece % 64;
}

/* Does the pieces that a use of a filter needs. */
static void filter_do(const lfb_filter *filter, uint64_t piece, bool change)
{
  for (job *each = jobs; each != NULL; each = each->next)
    if (each->to == filter || (change && each->from == filter))
      job_do(each, piece);
}

/* Whether a thread reads a filter. */
static bool is_held(const lfb_filter *filter)
{
  for (size_t i = 0; i < held.count; i++)
    if (held.filters[i] == filter)
      return true;
  return false;
}

static bool needed(const lfb_filter *filter)
{
  for (const job *each = jobs; each != NULL; each = each->next)
    if (each->to == filter || each->from == filter)
      return true;
  return is_held(filter);
}

static void *aside_free(void *filter)
{
  lfb_filter_free(filter);
  return NULL;
}

bool lfb_aside(void *(*run)(void *of), void *of)
{
  pthread_attr_t detached;
  pthread_t thread;

  if (pthread_attr_init(&detached) != 0)
    return false;
  const bool begun = pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0 &&
                     pthread_create(&thread, &detached, run, of) == 0;
  (void)pthread_attr_destroy(&detached);
  return begun;
}

/* Frees the filters that are to be freed and that nothing needs. */
static void ended_free(void)
{
  size_t kept = 0;

  for (size_t i = 0; i < ended.count; i++)
    if (needed(ended.filters[i]))
      ended.filters[kept++] = ended.filters[i];
    else if (ended.filters[i]->pages.size < LFB_ASIDE_FROM ||
             !lfb_aside(aside_free, ended.filters[i])) /* 1 GiB takes the kernel 0.1 s or more */
      lfb_filter_free(ended.filters[i]);
  ended.count = kept;
}

static uint64_t now_ns(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Whether nobody will read what a job makes: its filter was freed, and no other job needs it. */
static bool job_is_idle(const job *which)
{
  bool freed = false;

  for (const job *each = jobs; each != NULL; each = each->next)
    if (each != which && (each->to == which->to || each->from == which->to))
      return false;
  for (size_t i = 0; i < ended.count; i++)
    freed |= ended.filters[i] == which->to;
  return freed && !is_held(which->to);
}

/* Removes a job, done or not. */
static void job_end(job **at)
{
  job *which = *at;

  lfb_memory_settle(&which->to->pages);
  *at = which->next;
  atomic_fetch_sub_explicit(&job_count, 1, memory_order_relaxed); /* as later_waits() */
  free(which->done);
  free(which);
  ended_free();
}

/* Does pieces of the oldest job until a time, or all: UINT64_MAX.  Ends the job with its last
 * piece. */
static void oldest_do(uint64_t until)
{
  job *oldest = jobs;
  const uint64_t pieces = job_is_idle(oldest) ? 0 : job_pieces(oldest);

  while (oldest->next_piece < pieces) {
    job_do(oldest, oldest->next_piece++);
    if (oldest->next_piece % 16 == 0 && until != UINT64_MAX && now_ns() >= until)
      return;
  }
  job_end(&jobs);
}

/* Ends a copy of a filter that is to be freed: both change their memory.  So only pieces that are
 * done have to be copied, and into pages that are there: some 0.5 us each, not 2 to 10. */
static void job_inherit(const job *which, lfb_filter *from)
{
  lfb_filter *to = which->to;
  const lfb_pages pages = to->pages;
  const lfb_bit_array bits = to->layout.bits;
  const lfb_fast fast = to->layout.fast;

  for (uint64_t piece = 0; piece < job_pieces(which); piece++)
    if (job_has_done(which, piece))
      memcpy(piece_of(from, piece), piece_of(to, piece), 8 * piece_words(to, piece));
    else
      older_do(which, piece);
  to->pages = from->pages;
  to->layout.bits = lfb_bit_array_over(from->layout.bits.words, bits.word_count, bits.count);
  to->layout.fast = from->layout.fast;
  from->pages = pages;
  from->layout.bits = lfb_bit_array_over(bits.words, bits.word_count, from->layout.bits.count);
  from->layout.fast = fast;
}

/* Ends the jobs of a filter that is to be freed and that no thread reads. */
static void filter_leave(lfb_filter *filter)
{
  const job *heir = NULL;

  for (job *each = jobs; each != NULL; each = each->next) {
    if (each->from != filter || job_is_idle(each))
      continue;
    if (heir == NULL && each->copies && each->full == 0 && !is_held(each->to))
      heir = each;
    else
      for (uint64_t piece = 0; piece < job_pieces(each); piece++)
        job_do(each, piece);
  }
  if (heir != NULL)
    job_inherit(heir, filter);
  for (job **at = &jobs; *at != NULL;)
    if ((*at)->to == filter || (*at)->from == filter)
      job_end(at);
    else
      at = &(*at)->next;
}

/* Whether a filter's count lacks what jobs will add. */
static bool count_waits(const lfb_filter *filter)
{
  for (const job *each = jobs; each != NULL; each = each->next)
    if (each->to == filter && !each->copies)
      return true;
  return false;
}

/* The words that damage has made all ones, and those that jobs may still bring; some may be the
 * same. */
static uint64_t full_most(const lfb_filter *filter)
{
  uint64_t full = lfb_filter_full_words(filter);

  for (const job *each = jobs; each != NULL; each = each->next)
    full += each->to == filter ? each->full : 0;
  return full;
}

/* Adds a job; `empty`: `to` is.  Returns false if there is no memory. */
static bool job_add(lfb_filter *to, const lfb_filter *from, bool empty)
{
  job *made = calloc(1, sizeof *made), **end = &jobs;

  if (made == NULL)
    return false;
  *made = (job){.to = to, .from = from};
  made->done = calloc((size_t)(job_pieces(made) / 64 + 1), sizeof *made->done);
  if (made->done == NULL) {
    free(made);
    return false;
  }
  later_acquire();
  if (atomic_load_explicit(&job_count, memory_order_relaxed) == JOBS_MOST)
    oldest_do(UINT64_MAX);
  made->full = full_most(from);
  made->copies = empty && !count_waits(from);
  if (made->copies)
    lfb_bit_array_add(&to->layout.bits, lfb_filter_bits_set(from));
  while (*end != NULL)
    end = &(*end)->next;
  *end = made;
  jobs_thread = pthread_self();
  atomic_fetch_add_explicit(&job_count, 1, memory_order_relaxed); /* as later_waits() */
  later_release();
  return true;
}

static void put_all(lfb_filter *to, const lfb_filter *from, bool empty)
{
  const uint64_t words = to->layout.bits.word_count;
  const uint64_t pieces = (words + PIECE_WORDS - 1) / PIECE_WORDS;

  if (words != from->layout.bits.word_count)
    return; /* lfb_value_fit() refuses it */
  if (to->pages.size >= LFB_LATER_FROM && job_add(to, from, empty))
    return;
  if (later_waits()) {
    later_acquire();
    for (uint64_t piece = 0; piece < pieces; piece++) {
      filter_do(to, piece, true);
      filter_do(from, piece, false);
    }
    later_release();
  }
  lfb_ignore(lfb_filter_put_all(to, from)); /* they fit */
}

void lfb_later_put_all(lfb_filter *to, const lfb_filter *from)
{
  put_all(to, from, false);
}

lfb_status lfb_later_copy(const lfb_filter *from, lfb_filter **copy)
{
  const lfb_status status = lfb_filter_make_empty(&from->description, true, copy);

  if (status == LFB_OK)
    put_all(*copy, from, true);
  return status;
}

void lfb_later_ready(const lfb_filter *filter, const lfb_key *keys, size_t count, bool put)
{
  uint64_t indexes[LFB_MAX_PROBES];

  if (!later_waits())
    return;
  later_acquire();
  for (size_t i = 0; i < count; i++) {
    const lfb_hash hash = lfb_hasher_bytes(&filter->layout.hasher, keys[i].bytes, keys[i].size);
    (void)filter->strategy->bits_of(&filter->layout, hash, indexes); /* all in one block */
    filter_do(filter, indexes[0] / LFB_WORD_BITS / PIECE_WORDS, put);
  }
  later_release();
}

bool lfb_later_ready_words(const lfb_filter *filter, uint64_t first, uint64_t count)
{
  const uint64_t words = filter->layout.bits.word_count;
  const uint64_t end = count < words - first ? first + count : words;

  if (!later_waits())
    return false;
  later_acquire();
  for (uint64_t piece = first / PIECE_WORDS; piece * PIECE_WORDS < end; piece++)
    filter_do(filter, piece, false);
  later_release();
  return true;
}

void lfb_later_count(const lfb_filter *filter)
{
  later_acquire();
  const bool waits = count_waits(filter);
  later_release();
  if (waits)
    (void)lfb_later_ready_words(filter, 0, UINT64_MAX);
}

/* As lfb_later_bits(), with the jobs that are older than `before`. */
static uint64_t bits_most(const lfb_filter *filter, const job *before)
{
  uint64_t bits = lfb_filter_bits_set(filter);

  for (const job *each = jobs; each != before; each = each->next)
    if (each->to == filter && !each->copies)
      bits += bits_most(each->from, each);
  return bits;
}

uint64_t lfb_later_bits(const lfb_filter *filter)
{
  const uint64_t all = filter->layout.bits.word_count * LFB_WORD_BITS;

  later_acquire();
  const uint64_t bits = bits_most(filter, NULL);
  later_release();
  return bits < all ? bits : all;
}

bool lfb_later_step(void)
{
  later_acquire();
  if (jobs != NULL)
    oldest_do(now_ns() + STEP_NS);
  const bool more = jobs != NULL;
  later_release();
  return more;
}

bool lfb_later_hold(const lfb_filter *a, const lfb_filter *b)
{
  later_acquire();
  const bool fit = held.count + 2 <= HELD_MOST;
  if (fit) {
    held.filters[held.count++] = a;
    held.filters[held.count++] = b;
  }
  later_release();
  return fit;
}

void lfb_later_drop(const lfb_filter *a, const lfb_filter *b)
{
  later_acquire();
  for (size_t i = 0; i < held.count; i += 2)
    if (held.filters[i] == a && held.filters[i + 1] == b) {
      held.count -= 2;
      held.filters[i] = held.filters[held.count];
      held.filters[i + 1] = held.filters[held.count + 1];
      break;
    }
  ended_free();
  later_release();
}

void lfb_later_free(lfb_filter *filter)
{
  later_acquire();
  /* Another thread would hold up this one. */
  if (jobs != NULL && pthread_equal(jobs_thread, pthread_self()) && !is_held(filter))
    filter_leave(filter);
  const bool kept = filter != NULL && needed(filter);
  if (kept)
    ended.filters[ended.count++] = filter;
  later_release();
  if (!kept)
    lfb_filter_free(filter);
}
