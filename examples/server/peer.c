/*
 * peer.c - see peer.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "examples/server/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEER_TURNS = 16 }; /* reads before it is another peer's turn */

void peer_ring(struct peer *head)
{
  head->next = head->previous = head;
}

struct peer *peer_create(struct peer *head, int socket)
{
  struct peer *peer = malloc(sizeof *peer);

  if (peer == NULL) {
    (void)close(socket);
    return NULL;
  }
  peer->next = head->next;
  peer->previous = head;
  peer->next->previous = head->next = peer;
  peer->socket = socket;
  peer->in = peer->out = peer->out_begin = 0;
  return peer;
}

void peer_free(struct peer *peer)
{
  peer->previous->next = peer->next;
  peer->next->previous = peer->previous;
  (void)close(peer->socket);
  free(peer);
}

static bool would_wait(ssize_t done)
{
  return done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Writes the pending output; returns PEER_READ once all of it is written. */
static enum peer_wish peer_flush(struct peer *peer)
{
  while (peer->out_begin < peer->out) {
    const ssize_t done = send(peer->socket, peer->output + peer->out_begin,
                              peer->out - peer->out_begin, MSG_NOSIGNAL);
    if (would_wait(done))
      return PEER_WRITE;
    if (done < 0 && errno != EINTR)
      return PEER_CLOSE;
    if (done > 0)
      peer->out_begin += (size_t)done;
  }
  peer->out = peer->out_begin = 0;
  return PEER_READ;
}

/* Answers complete lines while the output buffer has room; returns how many. */
static unsigned peer_answer(struct peer *peer, lfb_any keys)
{
  size_t begin = 0;
  unsigned answered = 0;

  while (sizeof peer->output - peer->out >= ANSWER_MOST) {
    const char *line = peer->input + begin;
    const char *end = memchr(line, '\n', peer->in - begin);
    if (end == NULL)
      break;
    peer->out += answer_line(keys, line, (size_t)(end - line), peer->output + peer->out);
    begin += (size_t)(end - line) + 1;
    answered++;
  }
  memmove(peer->input, peer->input + begin, peer->in - begin);
  peer->in -= begin;
  return answered;
}

/* Answers all complete lines, and writes the answers. */
static enum peer_wish peer_answer_all(struct peer *peer, lfb_any keys)
{
  enum peer_wish wish = peer_flush(peer);

  while (wish == PEER_READ && peer_answer(peer, keys) > 0)
    wish = peer_flush(peer);
  return wish;
}

/* Tries to report that a line is too long, and closes. */
static enum peer_wish peer_refuse(struct peer *peer)
{
  static const char text[] = "ERR the line is too long\n";

  (void)send(peer->socket, text, sizeof text - 1, MSG_NOSIGNAL);
  return PEER_CLOSE;
}

enum peer_wish peer_serve(struct peer *peer, lfb_any keys)
{
  /* First the lines that an earlier call had no room to answer. */
  enum peer_wish wish = peer_answer_all(peer, keys);

  for (unsigned turn = 0; wish == PEER_READ && turn < PEER_TURNS; turn++) {
    if (peer->in == sizeof peer->input)
      return peer_refuse(peer);
    const ssize_t got =
        recv(peer->socket, peer->input + peer->in, sizeof peer->input - peer->in, 0);
    if (would_wait(got))
      return PEER_READ;
    if (got == 0 || (got < 0 && errno != EINTR))
      return PEER_CLOSE;
    if (got > 0)
      peer->in += (size_t)got;
    wish = peer_answer_all(peer, keys);
  }
  return wish;
}
