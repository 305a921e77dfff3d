/* ask.c - one command, or a job a few commands at a time. */
#include "redis/link/ask.h"

#include <string.h>

lfb_key lfb_text(const char *text)
{
  return (lfb_key){text, strlen(text)};
}

lfb_key lfb_ask_number(uint64_t number, char buffer[LFB_WIRE_DIGITS])
{
  char *const end = buffer + LFB_WIRE_DIGITS;
  const char *digits = lfb_wire_digits(end, number);

  return (lfb_key){digits, (size_t)(end - digits)};
}

uint16_t lfb_ask_write(lfb_wire *wire, const lfb_key *args, size_t count)
{
  lfb_wire_begin(wire, count);
  for (size_t k = 0; k < count; k++)
    lfb_wire_string(wire, args[k].bytes, args[k].size);
  return lfb_key_slot(args[1].bytes, args[1].size);
}

/* ---- one command ----------------------------------------------------------- */

typedef struct asked {
  const lfb_key *args;
  size_t count;
  lfb_ask_reply reply;
  void *context;
} asked;

static uint16_t asked_command(void *context, uint64_t i, lfb_wire *wire)
{
  const asked *ask = context;

  (void)i;
  return lfb_ask_write(wire, ask->args, ask->count);
}

static lfb_status asked_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  const asked *ask = context;

  (void)i;
  return ask->reply(ask->context, reply, again);
}

lfb_status lfb_ask(lfb_link *link, lfb_ask_reply reply, void *context, const lfb_key *args,
                   size_t count)
{
  asked ask = {args, count, reply, context};

  return lfb_link_run(link, &(lfb_job){1, asked_command, asked_reply, &ask});
}

typedef struct asked_number {
  int64_t value;
  bool again;
} asked_number;

static lfb_status asked_integer(void *context, const redisReply *reply, bool again)
{
  const lfb_status status = lfb_reply_expect(reply, REDIS_REPLY_INTEGER);

  if (status == LFB_OK)
    *(asked_number *)context = (asked_number){reply->integer, again};
  return status;
}

lfb_status lfb_ask_integer(lfb_link *link, int64_t *value, bool *again, const lfb_key *args,
                           size_t count)
{
  asked_number number = {0, false};
  const lfb_status status = lfb_ask(link, asked_integer, &number, args, count);

  if (status != LFB_OK)
    return status;
  if (value != NULL)
    *value = number.value;
  if (again != NULL)
    *again = number.again;
  return LFB_OK;
}

/* ---- a few at a time ------------------------------------------------------- */

typedef struct asked_turn {
  const lfb_job *job;
  uint64_t first;
} asked_turn;

static uint16_t turn_command(void *context, uint64_t i, lfb_wire *wire)
{
  const asked_turn *turn = context;
  return turn->job->command(turn->job->context, turn->first + i, wire);
}

static lfb_status turn_reply(void *context, uint64_t i, const redisReply *reply, bool again)
{
  const asked_turn *turn = context;
  return turn->job->reply(turn->job->context, turn->first + i, reply, again);
}

lfb_status lfb_ask_in_turns(lfb_link *link, const lfb_job *job, uint64_t at_once)
{
  lfb_status status = LFB_OK;

  for (uint64_t first = 0; status == LFB_OK && first < job->count; first += at_once) {
    const uint64_t left = job->count - first;
    asked_turn turn = {job, first};
    status = lfb_link_run(link, &(lfb_job){left < at_once ? left : at_once, turn_command,
                                           turn_reply, &turn});
  }
  return status;
}
