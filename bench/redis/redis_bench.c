/*
 * redis_bench.c - jobs over a link against hiredis alone: the same commands, the same server,
 * as many commands in progress.
 *
 *     ./bazelw run -c opt //bench:redis -- [redis://[user:password@]host[:port]]
 *
 * VERB/CLIENT/depthN; one iteration is one key.  put is six one-bit SETs in one BITFIELD, query
 * two words of 64 bits, somewhere in a string of 64 MiB, as in a filter of layout fast.  CLIENT is
 *   link     a job with a window of N,
 *   hiredis  a loop of N commands appended, N replies read, or
 *   filter   many keys of a filter of that layout, n 50,000,000, p 0.01; its commands also read
 *            the part's mark.
 * The first two write their commands by redis/link/wire.h: hiredis' own formatting would take
 * longer.
 *
 * Without an address the program starts a server, which ends with it.
 */
#include <lfbloom/redis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/keys.h"
#include "bench/redis/server.h"
#include "bench/shim.h"
#include "redis/link/link.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
  STRING_BITS = 1 << 29, /* 64 MiB */
  BLOCK_BITS = 512,
  WORD_BITS = 64,
  PUT_BITS = 6,    /* two words, three bits in each */
  BATCH = 20000,   /* keys per job                  */
  KEYS = 50000000, /* keys in the filter: 61 MiB    */
};

static const char key[] = "{bench}:0";
static lfb_redis_address place;

/* ---- the commands -------------------------------------------------------- */

typedef enum verb { PUT,
                    QUERY } verb;

static void write_put(lfb_wire *wire, uint64_t hash)
{
  const uint64_t block = hash >> 32 & (STRING_BITS - BLOCK_BITS);

  lfb_wire_begin(wire, 2 + 4 * PUT_BITS);
  lfb_wire_text(wire, "BITFIELD");
  lfb_wire_string(wire, key, sizeof key - 1);
  for (unsigned i = 0; i < PUT_BITS; i++) {
    lfb_wire_text(wire, "SET");
    lfb_wire_text(wire, "u1");
    lfb_wire_number(wire, block + WORD_BITS * (i / 3) + (hash >> 6 * i) % WORD_BITS);
    lfb_wire_text(wire, "1");
  }
}

static void write_query(lfb_wire *wire, uint64_t hash)
{
  const uint64_t block = hash >> 32 & (STRING_BITS - BLOCK_BITS);

  lfb_wire_begin(wire, 2 + 3 * 2);
  lfb_wire_text(wire, "BITFIELD");
  lfb_wire_string(wire, key, sizeof key - 1);
  for (unsigned i = 0; i < 2; i++) {
    lfb_wire_text(wire, "GET");
    lfb_wire_text(wire, "i64");
    lfb_wire_number(wire, block + WORD_BITS * i);
  }
}

static void write_command(verb what, lfb_wire *wire, uint64_t i)
{
  if (what == PUT)
    write_put(wire, lfb_keys_number(i));
  else
    write_query(wire, lfb_keys_number(i));
}

/* Reads a reply's numbers as a filter would; returns whether it is as expected. */
static bool look_at(verb what, const redisReply *reply, uint64_t *sum)
{
  if (reply->type != REDIS_REPLY_ARRAY || reply->elements != (what == PUT ? PUT_BITS : 2))
    return false;
  for (size_t i = 0; i < reply->elements; i++)
    *sum += (uint64_t)reply->element[i]->integer;
  return true;
}

/* ---- link and hiredis ---------------------------------------------------- */

struct batch {
  verb what;
  uint64_t first; /* key */
  uint64_t sum;
};

static uint16_t batch_command(void *context, uint64_t i, lfb_wire *wire)
{
  const struct batch *batch = context;

  write_command(batch->what, wire, batch->first + i);
  return LFB_ANY_SLOT; /* a single server has all of them */
}

static lfb_status batch_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  struct batch *batch = context;

  (void)i;
  (void)again;
  return look_at(batch->what, reply, &batch->sum) ? LFB_OK : LFB_ERROR_REDIS_PROTOCOL;
}

struct row {
  verb what;
  uint32_t depth;
};

static void bench_link(lfb_bench_state *state, const void *argument)
{
  const struct row *row = argument;
  lfb_redis_options options = place.options;
  lfb_link *link;
  struct batch batch = {.what = row->what};
  const lfb_job job = {BATCH, batch_command, batch_reply, &batch};

  options.window = row->depth;
  if (lfb_link_open(&options, NULL, &link) != LFB_OK) {
    lfb_bench_fail(state, "no link");
    return;
  }
  while (lfb_bench_keep_running(state, BATCH)) {
    if (lfb_link_run(link, &job) != LFB_OK) {
      lfb_bench_fail(state, link->said.text);
      break;
    }
    batch.first += BATCH;
  }
  lfb_link_close(link);
}

/* Appends `depth` commands, and reads as many replies. */
static bool hiredis_round(redisContext *context, const struct row *row, uint64_t first, lfb_wire *wire,
                          uint64_t *sum)
{
  wire->size = 0;
  for (uint32_t i = 0; i < row->depth; i++)
    write_command(row->what, wire, first + i);
  if (redisAppendFormattedCommand(context, wire->bytes, wire->size) != REDIS_OK)
    return false;
  for (uint32_t i = 0; i < row->depth; i++) {
    redisReply *reply;
    if (redisGetReply(context, (void **)&reply) != REDIS_OK)
      return false;
    const bool good = look_at(row->what, reply, sum);
    freeReplyObject(reply);
    if (!good)
      return false;
  }
  return true;
}

static redisContext *hiredis_open(void)
{
  const lfb_redis_options *at = &place.options;
  redisContext *context = redisConnect(at->host == NULL ? "127.0.0.1" : at->host,
                                       at->port == 0 ? 6379 : at->port);

  if (context != NULL && context->err == 0 && at->password != NULL)
    freeReplyObject(at->user == NULL
                        ? redisCommand(context, "AUTH %s", at->password)
                        : redisCommand(context, "AUTH %s %s", at->user, at->password));
  return context;
}

static void bench_hiredis(lfb_bench_state *state, const void *argument)
{
  const struct row *row = argument;
  redisContext *context = hiredis_open();
  lfb_wire wire = {0};
  uint64_t first = 0, sum = 0;

  bool good = context != NULL && context->err == 0;
  while (lfb_bench_keep_running(state, BATCH))
    for (uint64_t done = 0; good && done < BATCH; done += row->depth, first += row->depth)
      good = hiredis_round(context, row, first, &wire, &sum);
  if (!good)
    lfb_bench_fail(state, "hiredis fails");
  lfb_wire_free(&wire);
  if (context != NULL)
    redisFree(context);
}

/* ---- a filter ------------------------------------------------------------ */

static const char filter_name[] = "bench:filter";

/* The filter; the first benchmark that needs it makes it. */
static lfb_status filter_open(const lfb_redis_options *options, lfb_redis **filter)
{
  const lfb_config config = {
      .expected_insertions = KEYS, .fpp = 0.01, .hash = LFB_HASH_XXH3, .seed = 1};
  const lfb_status status = lfb_redis_open(options, filter_name, &config, filter);

  return status == LFB_ERROR_REDIS_ABSENT
             ? lfb_redis_create(options, filter_name, &config, 0, filter)
             : status;
}

static void bench_filter(lfb_bench_state *state, const void *argument)
{
  const struct row *row = argument;
  lfb_redis_options options = place.options;
  static uint64_t keys[BATCH];
  lfb_redis *filter;
  uint64_t first = 0;

  options.window = row->depth;
  lfb_status status = filter_open(&options, &filter);
  if (status != LFB_OK) {
    lfb_bench_fail(state, lfb_status_text(status));
    return;
  }
  while (lfb_bench_keep_running(state, BATCH) && status == LFB_OK) {
    for (unsigned i = 0; i < BATCH; i++)
      keys[i] = lfb_keys_number(first + i);
    status = row->what == PUT ? lfb_redis_put_many_u64(filter, keys, BATCH, NULL, NULL)
                              : lfb_redis_might_contain_many_u64(filter, keys, BATCH, NULL, NULL);
    first += BATCH;
  }
  if (status != LFB_OK)
    lfb_bench_fail(state, lfb_status_text(status));
  lfb_redis_close(filter);
}

/* ---- the string ---------------------------------------------------------- */

static uint16_t grow_command(void *context, uint64_t i, lfb_wire *wire)
{
  (void)context;
  (void)i;
  lfb_wire_begin(wire, 4);
  lfb_wire_text(wire, "SETBIT");
  lfb_wire_string(wire, key, sizeof key - 1);
  lfb_wire_number(wire, STRING_BITS - 1);
  lfb_wire_text(wire, "1");
  return LFB_ANY_SLOT;
}

static lfb_status grow_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  (void)context;
  (void)i;
  (void)again;
  return lfb_reply_status(reply);
}

/* Extends the string to its size. */
static bool prepare(void)
{
  const lfb_job job = {1, grow_command, grow_reply, NULL};
  lfb_link *link = bench_server_link(&place);

  const bool good = link != NULL && lfb_link_run(link, &job) == LFB_OK;
  if (link != NULL && !good)
    fprintf(stderr, "it refuses commands: %s\n", link->said.text);
  lfb_link_close(link);
  return good;
}

static void register_rows(void)
{
  static const struct row rows[] = {{PUT, 100}, {PUT, 1000}, {QUERY, 100}, {QUERY, 1000}};
  static const struct {
    const char *name;
    lfb_bench_body body;
  } ways[] = {{"hiredis", bench_hiredis}, {"link", bench_link}, {"filter", bench_filter}};
  char name[64];

  for (size_t i = 0; i < COUNT(rows); i++)
    for (size_t way = 0; way < COUNT(ways); way++) {
      (void)snprintf(name, sizeof name, "%s/%s/depth%u", rows[i].what == PUT ? "put" : "query",
                     ways[way].name, (unsigned)rows[i].depth);
      const lfb_bench_row made = {
          .name = name, .body = ways[way].body, .argument = &rows[i], .threads = 1};
      lfb_bench_register(&made);
    }
}

int main(int argc, char **argv)
{
  if (!bench_server_begin(&argc, &argv, &place))
    return 2;
  if (!prepare())
    return 1;
  register_rows();
  lfb_bench_share();
  return lfb_bench_run(argc, argv);
}
