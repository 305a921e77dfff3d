/*
 * layouts.h - where on a server the bits of a filter are, and by which commands they are set
 * and asked for: one row of a table for each layout.
 *
 * A filter is one Redis string, its only part, or several; bit i of the filter, as its strategy
 * numbers them, is bit i % part_bits of part i / part_bits, and all bits of a key are in one
 * part.  A put is one BITFIELD of one-bit SETs, a query one BITFIELD_RO (which a server that
 * is out of memory, a replica and a user who may only read are allowed).
 *
 * Mark       A key that is missing reads as zeros, which would be a silent "absent"; and a SET
 *            creates it.  So each part holds a mark, a number other than 0, which every put and
 *            every query reads by one further GET in the same command, which Redis does as a
 *            whole: an answer without the right mark is no answer, a put without it not
 *            acknowledged.  It is written when the part is there in full and filled, and lies
 *            fast    behind the bits: 32 random bits, drawn when the filter was made.  It
 *                    tells a part that is missing, cut short, or of another filter that
 *                    was made under the name meanwhile;
 *            guava   in Guava's header before the bits, which is it: 48 bits;
 *            helper  behind the bits: a single one, which the Java class never reads.
 *            The price is that of one more small field in a command that has 3 to 8.
 * Stump      A put into a part that is missing leaves what its SETs created, without a mark:
 *            refused by all.  Whoever was refused deletes it again, unless it has got a mark,
 *            or is somebody's draft (not with helper: there it is what the Java class would
 *            have made).
 */
#ifndef LFB_REDIS_LAYOUTS_H
#define LFB_REDIS_LAYOUTS_H

#include "bloom/filter/create.h"
#include "redis/filter/words.h"
#include "redis/link/ask.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_REDIS_NAME_SIZE = 512,                           /* bytes of the longest name        */
  LFB_PART_NAME_SIZE = LFB_REDIS_NAME_SIZE + 3 + LFB_WIRE_DIGITS, /* .. of a part's        */
};

/* What a Redis string may hold, in bits. */
#define LFB_STRING_MOST_BITS (UINT64_C(1) << 32)

/* A filter has no more parts than this: a million of 64 MiB. */
#define LFB_MOST_PARTS (UINT64_C(1) << 20)

typedef struct lfb_plan {
  uint64_t parts;      /* at least 1                                             */
  uint64_t part_bits;  /* of the filter, in each; the last one may need fewer    */
  uint64_t part_bytes; /* the length of each                                     */
  uint64_t first;      /* bit i of a part is bit first + (i ^ flip) of the string, */
  uint32_t flip;       /* whose bit 0 is the highest of its first byte           */
  uint32_t mark_bits;  /* the mark's width, up to 63                             */
  uint64_t mark_at;    /* .. and its first bit in the string                     */
  uint64_t mark;       /* not 0                                                  */
  uint64_t draft;      /* what is in the mark's place while the part is being made, not 0
                          either; 0: nothing                                     */
} lfb_plan;

typedef struct lfb_part {
  lfb_key name;
  uint16_t slot;
} lfb_part;

/* A filter's place. */
typedef struct lfb_redis_place {
  const struct lfb_redis_layout *layout;
  lfb_key name;
  lfb_description description;
  lfb_plan plan;
} lfb_redis_place;

typedef struct lfb_redis_layout {
  const char *name;

  /* Whether it is for filters of this strategy. */
  bool (*holds)(const lfb_strategy *strategy);

  /* Its description is a hash under the name, its parts have names of their own; else its
   * only part is under the name. */
  bool described;

  /* How its bits stand in the words of memory. */
  lfb_words_order order;

  /* What a put left behind in a part that was missing is deleted. */
  bool clears_stumps;

  /* Plans parts of at most so many bytes for place->description.  Fails: LFB_ERROR_NO_RANDOM,
   * LFB_ERROR_REDIS_TOO_MANY_BITS, LFB_ERROR_TOO_MANY_BITS. */
  lfb_status (*plan)(lfb_redis_place *place, uint64_t part_bytes);

  /* Takes the name for a filter that is to be made, before its parts; then, once they are
   * there, makes it whole (NULL: it is).  Fails: LFB_ERROR_REDIS_EXISTS; as lfb_ask(). */
  lfb_status (*reserve)(lfb_link *link, const lfb_redis_place *place);
  lfb_status (*finish)(lfb_link *link, const lfb_redis_place *place);

  /* Reads description and plan of what is under place->name, of which the caller knows
   * `wanted`.  `whole`: it must have been finished.  Fails: LFB_ERROR_REDIS_NO_FILTER,
   * _UNFINISHED; LFB_ERROR_UNKNOWN_VERSION; as lfb_native_decode(); as lfb_ask(). */
  lfb_status (*find)(lfb_link *link, lfb_redis_place *place, const lfb_config *wanted, bool whole);

  /* Writes the query for a key's bits, which are in this part, and reads what it gave. */
  void (*ask)(const lfb_plan *plan, const lfb_part *part, const uint64_t *bits, uint32_t count,
              lfb_wire *wire);
  lfb_status (*answer)(const lfb_plan *plan, const uint64_t *bits, uint32_t count,
                       const redisReply *reply, bool *maybe);
} lfb_redis_layout;

/* One row a file. */
extern const lfb_redis_layout lfb_redis_layout_fast;
extern const lfb_redis_layout lfb_redis_layout_guava;
extern const lfb_redis_layout lfb_redis_layout_helper;

/* The layout for a strategy; NULL for none. */
const lfb_redis_layout *lfb_redis_layout_for(const lfb_strategy *strategy);

/* The key of part i: {name:i}; name:i where the name has a hash tag of its own; the name. */
size_t lfb_part_name(const lfb_redis_layout *layout, lfb_key name, uint64_t i,
                     char key[LFB_PART_NAME_SIZE]);

/* The key of the stream by which replicas of the filter tell each other (redis/replica/stream.h):
 * {name}:stream; name:stream where the name has a hash tag of its own. */
size_t lfb_stream_name(lfb_key name, char key[LFB_PART_NAME_SIZE]);

/* The key {name:what}, name:what where the name has a hash tag of its own: its bytes, strlen of
 * both and 3 at most. */
size_t lfb_name_in(const char *name, const char *what, char *key);

/* Takes the name by a string of these bytes: for a layout's `reserve`. */
lfb_status lfb_redis_place_reserve(lfb_link *link, const lfb_redis_place *place, const void *bytes,
                                   size_t size);

/* The command of a put, and whether it turned on a bit. */
void lfb_part_put(const lfb_plan *plan, const lfb_part *part, const uint64_t *bits,
                  uint32_t count, lfb_wire *wire);
lfb_status lfb_part_put_answer(const lfb_plan *plan, uint32_t count, const redisReply *reply,
                               bool *changed);

/* The query by a GET of each bit: for a layout's `ask` and `answer`. */
void lfb_part_ask_bits(const lfb_plan *plan, const lfb_part *part, const uint64_t *bits,
                       uint32_t count, lfb_wire *wire);
lfb_status lfb_part_bits_answer(const lfb_plan *plan, const uint64_t *bits, uint32_t count,
                                const redisReply *reply, bool *maybe);

/* .. and by GETs of the words that they are in, at most 8 different ones. */
void lfb_part_ask_words(const lfb_plan *plan, const lfb_part *part, const uint64_t *bits,
                        uint32_t count, lfb_wire *wire);
lfb_status lfb_part_words_answer(const lfb_plan *plan, const uint64_t *bits, uint32_t count,
                                 const redisReply *reply, bool *maybe);

/* The command that reads a part's mark alone, and whether it is right.
 * Fails: LFB_ERROR_REDIS_PART; as lfb_ask_expect(). */
void lfb_part_ask_mark(const lfb_plan *plan, const lfb_part *part, lfb_wire *wire);
lfb_status lfb_part_mark_answer(const lfb_plan *plan, const redisReply *reply);

/* The command that makes a part so many bytes long, if it is shorter, and a draft of it once that
 * is all; what it holds besides stays as it is. */
void lfb_part_grow(const lfb_plan *plan, const lfb_part *part, uint64_t bytes, lfb_wire *wire);

/* The command that writes the mark. */
void lfb_part_set_mark(const lfb_plan *plan, const lfb_part *part, lfb_wire *wire);

#ifdef __cplusplus
}
#endif

#endif
