/*
 * ask.h - one command at a time, or a job a few commands at a time: for operations on a whole
 * filter, where speed does not matter.
 */
#ifndef LFB_REDIS_ASK_H
#define LFB_REDIS_ASK_H

#include <lfbloom/sink.h>

#include "redis/link/link.h"

LFB_EXTERN_C_BEGIN

/* A C string as an argument. */
lfb_key lfb_ask_text(const char *text);

/* A number as an argument; its digits are kept in `room`. */
lfb_key lfb_ask_number(uint64_t number, char room[LFB_WIRE_DIGITS]);

/* Takes the reply; as `reply` of lfb_job. */
typedef lfb_status (*lfb_ask_reply)(void *context, const redisReply *reply, bool again);

/*
 * Sends a command and waits for its reply, which `reply` takes, also an error reply.  The second
 * argument is the command's key.
 *
 * Fails  as lfb_link_run().
 */
lfb_status lfb_ask(lfb_link *link, const lfb_key *args, size_t count, lfb_ask_reply reply,
                   void *context);

/*
 * Gives the number that a command returns, and in `again`, unless NULL, whether it was sent twice.
 *
 * Fails  as lfb_link_run(), and as lfb_reply_expect() with REDIS_REPLY_INTEGER.
 */
lfb_status lfb_ask_integer(lfb_link *link, const lfb_key *args, size_t count, int64_t *value,
                           bool *again);

/* Runs a job with at most `at_once` commands in flight.  For commands that take a server a
 * while, in which it answers no other client.  Fails as lfb_link_run(). */
lfb_status lfb_ask_in_turns(lfb_link *link, const lfb_job *job, uint64_t at_once);

LFB_EXTERN_C_END

#endif
