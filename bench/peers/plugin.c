/* plugin.c - loads peers, and calls them. */
#include "bench/peers/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers/peer.h"

enum { WAYS = 2 };

static struct {
  lfb_contender contender;
  lfb_way ways[WAYS];
} peers[LFB_PEERS];

static size_t peer_count;

/* A filter, with its row, which an lfb_act does not get. */
typedef struct peer_filter {
  const lfb_peer *peer;
  void *filter;
} peer_filter;

#define PEER_ACT(call)                                                                     \
  static size_t peer_##call(void *of, const lfb_keys *keys, size_t first, size_t count)    \
  {                                                                                        \
    const peer_filter *f = of;                                                             \
    return f->peer->call(f->filter, keys->numbers + first, count);                         \
  }

PEER_ACT(put)
PEER_ACT(query)
PEER_ACT(put_ahead)
PEER_ACT(query_ahead)

static bool peer_size(const lfb_contender *contender, uint64_t n, double fpp, uint64_t *bytes)
{
  const lfb_peer *peer = contender->context;
  *bytes = peer->size(n, fpp);
  return *bytes > 0;
}

static void peer_free(void *of)
{
  peer_filter *f = of;
  if (f->filter != NULL)
    f->peer->free(f->filter);
  free(f);
}

static void *peer_create(const lfb_contender *contender, uint64_t n, double fpp)
{
  peer_filter *f = malloc(sizeof *f);

  if (f == NULL)
    return NULL;
  f->peer = contender->context;
  f->filter = f->peer->create(n, fpp);
  if (f->filter != NULL)
    return f;
  peer_free(f);
  return NULL;
}

static void peer_copy(void *to, const void *from)
{
  const peer_filter *target = to, *source = from;
  target->peer->copy(target->filter, source->filter);
}

static void peer_fill(void *of, const uint64_t *numbers, size_t count)
{
  const peer_filter *f = of;
  (void)f->peer->put(f->filter, numbers, count);
}

static void peer_add(const lfb_peer *peer)
{
  const unsigned uses = LFB_WAY_ASK | LFB_WAY_PUT_PRESENT | LFB_WAY_PUT_NEW;
  lfb_way *ways = peers[peer_count].ways;

  ways[0] = (lfb_way){"single/hash", LFB_KEYS_NUMBERS, uses, peer_put, peer_query, NULL};
  ways[1] = (lfb_way){"ahead/hash", LFB_KEYS_NUMBERS, uses, peer_put_ahead, peer_query_ahead,
                      NULL};
  peers[peer_count++].contender = (lfb_contender){
      .name = peer->name, .ways = ways, .way_count = peer->query_ahead != NULL ? 2 : 1,
      .one_thread = !peer->threads, .silent = peer->silent, .context = peer,
      .size = peer_size, .create = peer_create, .free = peer_free, .copy = peer_copy,
      .fill = peer_fill,
  };
}

static bool peer_refuse(const char *path, const char *why)
{
  (void)fprintf(stderr, "bench: %s is not measured: %s\n", path, why);
  return false;
}

bool lfb_peers_load(const char *path)
{
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

  if (library == NULL)
    return peer_refuse(path, dlerror());
  if (peer_count == LFB_PEERS)
    return peer_refuse(path, "there are too many peers");
  /* POSIX gives functions as void *, which ISO C cannot cast. */
  const lfb_peer *(*peer_of)(void) = NULL;
  *(void **)(void *)&peer_of = dlsym(library, "lfb_peer_of");
  if (peer_of == NULL)
    return peer_refuse(path, "it has no lfb_peer_of()");
  if (peer_of()->version != LFB_PEER_VERSION)
    return peer_refuse(path, "it was built with another bench/peers/peer.h");
  peer_add(peer_of());
  return true;
}

size_t lfb_peers_count(void)
{
  return peer_count;
}

const lfb_contender *lfb_peers_contender(size_t i)
{
  return &peers[i].contender;
}
