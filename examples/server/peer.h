/*
 * peer.h - one client's connection: lines that come in pieces, answers that leave in pieces.
 *
 * Bounded   A client that sends and does not read is not read from until its answers are
 *           gone: a connection takes 8 KiB, whatever it does.
 * Threads   A peer belongs to one thread.
 */
#ifndef SERVER_PEER_H
#define SERVER_PEER_H

#include "examples/server/answer.h"

enum { PEER_LINE_MOST = 4096 }; /* bytes of a line with its newline */

/* What a peer waits for. */
enum peer_wish { PEER_READ, PEER_WRITE, PEER_CLOSE };

/* Peers of one thread, in a ring with a head that is none. */
struct peer {
  struct peer *next, *previous;
  int socket;
  size_t in;             /* bytes of input that wait               */
  size_t out, out_begin; /* .. and of output: from out_begin to out */
  char input[PEER_LINE_MOST];
  char output[PEER_LINE_MOST];
};

/* Begins a ring. */
void peer_ring(struct peer *head);

/* Adds a peer with a socket that does not block, which is its own from then on; NULL: no
 * memory, and the socket is closed. */
struct peer *peer_create(struct peer *head, int socket);

/* Closes it and takes it out of its ring. */
void peer_free(struct peer *peer);

/* Reads, answers and writes as far as that goes without waiting, but for a fair share of the
 * thread's time only. */
enum peer_wish peer_serve(struct peer *peer, lfb_filter *filter);

#endif
