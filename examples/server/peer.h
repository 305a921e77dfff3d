/*
 * peer.h - one client's connection: lines arrive in pieces, answers leave in pieces.
 *
 * Bounded   A connection takes 8 KiB, regardless of what the client does: the server does not
 *           read from a client that sends and does not read, until its answers are written.
 * Threads   A peer belongs to one thread.
 */
#ifndef SERVER_PEER_H
#define SERVER_PEER_H

#include "examples/server/answer.h"

enum { PEER_LINE_MOST = 4096 }; /* bytes of a line with its newline */

/* What a peer waits for. */
enum peer_wish { PEER_READ, PEER_WRITE, PEER_CLOSE };

/* The peers of one thread form a ring; its head is not a peer. */
struct peer {
  struct peer *next, *previous;
  int socket;
  size_t in;             /* bytes of `input` not yet answered               */
  size_t out, out_begin; /* bytes of `output` to write: out_begin up to out */
  char input[PEER_LINE_MOST];
  char output[PEER_LINE_MOST];
};

/* Initialises a ring. */
void peer_ring(struct peer *head);

/* Adds a peer and gives it a non-blocking socket.  Returns NULL if there is no memory, and closes
 * the socket. */
struct peer *peer_create(struct peer *head, int socket);

/* Closes a peer and removes it from its ring. */
void peer_free(struct peer *peer);

/* Reads, answers and writes as far as possible without waiting, but only for a fair share of the
 * thread's time.  Returns what to wait for. */
enum peer_wish peer_serve(struct peer *peer, lfb_any keys);

#endif
