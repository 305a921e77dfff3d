/*
 * ask.h - one command at a time, or a job a few commands at a time: what is done to a filter
 * as a whole, where nothing is gained by haste.
 */
#ifndef LFB_REDIS_ASK_H
#define LFB_REDIS_ASK_H

#include <lfbloom/sink.h>

#include "redis/link/link.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An argument that is a C string. */
lfb_key lfb_ask_text(const char *text);

/* .. a number, whose digits are kept in `room`. */
lfb_key lfb_ask_number(uint64_t number, char room[LFB_WIRE_DIGITS]);

/* What is done with the reply; as `reply` of lfb_job. */
typedef lfb_status (*lfb_ask_reply)(void *context, const redisReply *reply, bool again);

/*
 * Sends a command, whose second argument is its key, and waits for the reply, which `reply`
 * gets: an error reply too.
 *
 * Fails  as lfb_link_run().
 */
lfb_status lfb_ask(lfb_link *link, const lfb_key *args, size_t count, lfb_ask_reply reply,
                   void *context);

/*
 * The number that a command gives.  `again`, which may be NULL: it was sent twice.
 *
 * Fails  as lfb_link_run(), and as lfb_ask_expect() with REDIS_REPLY_INTEGER.
 */
lfb_status lfb_ask_integer(lfb_link *link, const lfb_key *args, size_t count, int64_t *value,
                           bool *again);

/*
 * Whether a reply is of a type, REDIS_REPLY_..
 *
 * Fails  LFB_ERROR_REDIS_NO_FILTER: the key's value is of another type than the command's; as
 *        lfb_reply_status(); LFB_ERROR_REDIS_PROTOCOL.
 */
lfb_status lfb_ask_expect(const redisReply *reply, int type);

/* Does a job of which no more than `at_once` commands are under way: of those that a server
 * needs a while for, and answers nobody else meanwhile.  Fails as lfb_link_run(). */
lfb_status lfb_ask_in_turns(lfb_link *link, const lfb_job *job, uint64_t at_once);

#ifdef __cplusplus
}
#endif

#endif
