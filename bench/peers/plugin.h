/*
 * plugin.h - peers from shared libraries (peer.h), as contenders.
 *
 * Ways: single/hash, and ahead/hash where the peer has it.
 */
#ifndef LFB_BENCH_PLUGIN_H
#define LFB_BENCH_PLUGIN_H

#include "bench/contender.h"

enum { LFB_PEERS = 16 };

/* Loads a peer.  False if it cannot; then it has said why on stderr. */
bool lfb_peers_load(const char *path);

size_t lfb_peers_count(void);
const lfb_contender *lfb_peers_contender(size_t i);

#endif
