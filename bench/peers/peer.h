/*
 * peer.h - what a peer is that a user builds from its own checkout, as a shared library.
 *
 * The library is C or has a C interface, and needs this header alone.  It has one function,
 * lfb_peer_of(), which returns a constant row.  A row's calls are loops over the peer's own calls
 * for one key, compiled together with the peer so that they can be inlined; set.cc is an example.
 * They get the same 64-bit hashes as the library's filters, and must not hash them again.
 *
 * The peer chooses what its users would for n keys and a false-positive rate.  If it has more
 * false positives, the benchmarks say how many; other wrong answers fail.
 */
#ifndef LFB_BENCH_PEER_H
#define LFB_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_PEER_VERSION = 1, LFB_PEER_AHEAD = 128 };

/* Puts or queries `count` hashes, at most 1024; returns how many were new, or are present. */
typedef size_t (*lfb_peer_call)(void *filter, const uint64_t *hashes, size_t count);

typedef struct lfb_peer {
  unsigned version;  /* LFB_PEER_VERSION                                                    */
  const char *name;  /* small letters, digits and hyphens                                   */
  bool threads;      /* they may put and query concurrently                                 */
  bool silent;       /* a put does not say whether the key was new; it returns any number   */

  /* Bytes of a filter for n keys; 0 if there is none. */
  uint64_t (*size)(uint64_t n, double fpp);
  /* An empty filter; NULL if there is no memory.  Should ask for huge pages. */
  void *(*create)(uint64_t n, double fpp);
  void (*free)(void *filter);
  /* Makes `to` contain what `from` does; both have the same n and fpp. */
  void (*copy)(void *to, const void *from);

  lfb_peer_call put, query; /* key by key                                                   */
  /* The same with a look-ahead in the caller: the line of the key LFB_PEER_AHEAD further on is
   * prefetched, or the peer's own call for many keys is used.  NULL: there is no way to. */
  lfb_peer_call put_ahead, query_ahead;
} lfb_peer;

const lfb_peer *lfb_peer_of(void);

#ifdef __cplusplus
}
#endif

#endif
