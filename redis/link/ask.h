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
lfb_key lfb_text(const char *text);

/* A number as an argument; its digits are kept in `buffer`, or in the block around the macro. */
lfb_key lfb_ask_number(uint64_t number, char buffer[LFB_WIRE_DIGITS]);
#define LFB_NUMBER(number) lfb_ask_number(number, (char[LFB_WIRE_DIGITS]){0})

/* The arguments of a command: `args` and `count` of the functions below. */
#define LFB_ARGS(...) \
  (const lfb_key[]){__VA_ARGS__}, sizeof((const lfb_key[]){__VA_ARGS__}) / sizeof(lfb_key)

/* Writes a command.  Returns the slot of its second argument. */
uint16_t lfb_ask_write(lfb_wire *wire, const lfb_key *args, size_t count);

/* Takes the reply; as `reply` of lfb_job. */
typedef lfb_status (*lfb_ask_reply)(void *context, const redisReply *reply, bool again);

/*
 * Sends a command and waits for its reply, which `reply` takes, also an error reply.  The second
 * argument is the command's key.
 *
 * Fails  as lfb_link_run().
 */
lfb_status lfb_ask(lfb_link *link, lfb_ask_reply reply, void *context, const lfb_key *args,
                   size_t count);

/*
 * Gives the number that a command returns, and whether it was sent twice; `value` and `again` may
 * be NULL.
 *
 * Fails  as lfb_link_run(), and as lfb_reply_expect() with REDIS_REPLY_INTEGER.
 */
lfb_status lfb_ask_integer(lfb_link *link, int64_t *value, bool *again, const lfb_key *args,
                           size_t count);

/* Runs a job with at most `at_once` commands in flight.  For commands that take a server a
 * while, in which it answers no other client.  Fails as lfb_link_run(). */
lfb_status lfb_ask_in_turns(lfb_link *link, const lfb_job *job, uint64_t at_once);

LFB_EXTERN_C_END

#endif
