/*
 * layouts.h - where the bits of a filter are stored on a server, and the commands that set and
 * query them: a table with one row for each layout.
 *
 * A key of the module (layout_module.c) is no string: the server itself hashes keys and sets bits.
 * All below is of the other layouts.
 *
 * A filter is one Redis string, its only part, or several.  Bit i of the filter, as its strategy
 * numbers them, is bit i % part_bits of part i / part_bits.  All bits of a key are in one part.
 * A put is one BITFIELD of one-bit SETs (helper: a script), a query one BITFIELD_RO.  A query is
 * therefore allowed on a server that is out of memory, on a Redis replica, and for a user with only
 * read rights.
 *
 * Mark       A missing Redis key reads as zeros, which would be a silent "absent"; and a SET
 *            creates it.  So each part holds a mark, a number other than 0.  Every put and every
 *            query reads it by one more GET in the same command, which Redis executes
 *            atomically.  Without the right mark an answer is no answer, and a put is not
 *            acknowledged.  The mark is written once the part has its full length and content:
 *            fast    after the bits: 32 random bits, drawn when the filter was made.  They
 *                    reveal a part that is missing, cut short, or of another filter that was
 *                    since made under the name;
 *            guava   before the bits: it is Guava's header, 48 bits;
 *            helper  after the bits: a single one, which the Java class never reads.
 *            The cost is one more small field in a command that has 3 to 8.
 * Stump      A BITFIELD into a missing part leaves the string that its SETs created.  It has no
 *            mark, so every client refuses it.  The client of that put deletes it again, unless it
 *            has a mark by then or is another client's draft.
 *            With helper, nothing would tell such a string from one that the Java class has made:
 *            it would open as a whole filter, and to delete it could lose what Java has put.  Its
 *            put is therefore a script, which sets no bit of a string without the mark.
 */
#ifndef LFB_REDIS_LAYOUTS_H
#define LFB_REDIS_LAYOUTS_H

#include "bloom/filter/description.h"
#include "redis/filter/words.h"
#include "redis/link/ask.h"

LFB_EXTERN_C_BEGIN

enum {
  LFB_REDIS_NAME_SIZE = 512,                           /* bytes of the longest name */
  LFB_PART_NAME_SIZE = LFB_REDIS_NAME_SIZE + 3 + LFB_WIRE_DIGITS, /* bytes of a part's name */
};

/* The largest Redis string, in bits. */
#define LFB_STRING_MOST_BITS (UINT64_C(1) << 32)

/* The most parts of a filter: a million of 64 MiB. */
#define LFB_MOST_PARTS (UINT64_C(1) << 20)

typedef struct lfb_plan {
  uint64_t parts;      /* at least 1                                                    */
  uint64_t part_bits;  /* of the filter, in each part; the last one may need fewer      */
  uint64_t part_bytes; /* length of each part                                           */
  uint64_t first;      /* bit i of a part is bit first + (i ^ flip) of the string       */
  uint32_t flip;       /* 0 or 63; bit 0 of a string is the highest of its first byte   */
  uint32_t mark_bits;  /* width of the mark, up to 63                                   */
  uint64_t mark_at;    /* first bit of the mark in the string                           */
  uint64_t mark;       /* not 0                                                         */
  uint64_t draft;      /* where the mark will be, while the part is made; 0: no draft    */
} lfb_plan;

typedef struct lfb_part {
  lfb_key name;
  uint16_t slot;
} lfb_part;

enum {
  LFB_PUT_KEYS = 8,
  /* Keys in a command to the module: the server takes 5 us for them, and 25 for 256, which are
   * slower (docs/module.md).  The answers fill a word. */
  LFB_MODULE_KEYS = 64,
};

/* The bits that a command puts. */
typedef struct lfb_put {
  const uint64_t *bits; /* of one key after the other; put_answer() reads none       */
  uint32_t keys, count; /* keys, and bits of each                                    */
  bool first;           /* the job's first command, or one that is written once more */
} lfb_put;

/* Where a filter is stored. */
typedef struct lfb_redis_place {
  const struct lfb_redis_layout *layout;
  lfb_key name;
  lfb_description description;
  lfb_plan plan;
} lfb_redis_place;

typedef struct lfb_redis_layout {
  /* Whether the layout is for new filters of this strategy; NULL: none are made. */
  bool (*holds)(const lfb_strategy *strategy);

  /* true: a hash under the filter's name describes it, and its parts have names of their own.
   * false: its only part is under the name. */
  bool described;

  /* The server hashes: the key under the name is the module's, and of the functions below the
   * layout has only `find`. */
  bool by_key;

  /* The order of its bits in the words of memory. */
  lfb_words_order order;

  /* What a put leaves where a part is missing is deleted (Stump, above). */
  bool clears_stumps;

  /* Keys in one command of a put, at most LFB_PUT_KEYS; more than 1 only if there is one part.
   * by_key: in one command of either kind, LFB_MODULE_KEYS. */
  uint32_t put_keys;

  /* Plans parts of at most `part_bytes` for place->description.  Fails: LFB_ERROR_NO_RANDOM,
   * LFB_ERROR_REDIS_TOO_MANY_BITS, LFB_ERROR_TOO_MANY_BITS. */
  lfb_status (*plan)(lfb_redis_place *place, uint64_t part_bytes);

  /* reserve takes the name for a new filter, before its parts are made.  finish makes the filter
   * whole once they are; NULL: it is whole already.  Fail: LFB_ERROR_REDIS_EXISTS; as lfb_ask(). */
  lfb_status (*reserve)(lfb_link *link, const lfb_redis_place *place);
  lfb_status (*finish)(lfb_link *link, const lfb_redis_place *place);

  /* Reads description and plan of the filter under place->name.  `wanted`: what the caller knows
   * of it.  `whole`: it must have been finished.  Fails: LFB_ERROR_REDIS_NO_FILTER, _UNFINISHED;
   * LFB_ERROR_UNKNOWN_VERSION; as lfb_native_decode(); as lfb_ask(). */
  lfb_status (*find)(lfb_link *link, lfb_redis_place *place, const lfb_config *wanted, bool whole);

  /* Marks a filter that another program made, and makes it as long as planned.  NULL: no other
   * program makes any without a mark.  Fails: LFB_ERROR_REDIS_PART: it is gone; as lfb_ask(). */
  lfb_status (*adopt)(lfb_link *link, lfb_redis_place *place);

  /* put writes the command that puts `keys` keys of `count` bits each, all in this part.  A layout
   * by scripts writes the script itself if the command is `first`, else only its name.
   * put_answer reads the reply: bit i of `changed` tells whether key i turned on a bit. */
  void (*put)(const lfb_plan *plan, const lfb_part *part, const lfb_put *what, lfb_wire *wire);
  lfb_status (*put_answer)(const lfb_plan *plan, const lfb_put *what, const redisReply *reply,
                           uint64_t *changed);

  /* ask writes the query for a key's bits, which are in this part; answer reads the reply. */
  void (*ask)(const lfb_plan *plan, const lfb_part *part, const uint64_t *bits, uint32_t count,
              lfb_wire *wire);
  lfb_status (*answer)(const lfb_plan *plan, const uint64_t *bits, uint32_t count,
                       const redisReply *reply, bool *maybe);
} lfb_redis_layout;

/* One row in each file. */
extern const lfb_redis_layout lfb_redis_layout_fast;
extern const lfb_redis_layout lfb_redis_layout_guava;
extern const lfb_redis_layout lfb_redis_layout_helper;
extern const lfb_redis_layout lfb_redis_layout_module;

/* Returns LFB_OK or LFB_ERROR_REDIS_BAD_NAME. */
lfb_status lfb_name_check(const char *name);

/* Writes the key of part i: {name:i}, or name:i if the name has a hash tag of its own; the
 * name itself if the only part is under it.  Returns its size. */
size_t lfb_part_name(const lfb_redis_layout *layout, lfb_key name, uint64_t i,
                     char key[LFB_PART_NAME_SIZE]);

/* Whether a string of so many bytes can be a part of a fast filter. */
bool lfb_fast_is_part(int64_t bytes);

/* Writes the key {name:what} if `apart`, in a slot of its own; else {name}:what, in the name's
 * slot; but name:what if the name has a hash tag of its own.  Returns its size: at most 3 more than
 * the sizes of both. */
size_t lfb_name_with(lfb_key name, lfb_key what, bool apart, char *key);

/* Takes a name by a string of these bytes.  If the command was sent twice and found the name in
 * use, the name is ours if it holds exactly these bytes, and they are `unique`: no other client
 * writes them there.  Fails: LFB_ERROR_REDIS_EXISTS; as lfb_ask(). */
lfb_status lfb_name_take(lfb_link *link, lfb_key name, lfb_key bytes, bool unique);

/* The put of one key by a BITFIELD.  For a layout's `put` and `put_answer`. */
void lfb_part_put(const lfb_plan *plan, const lfb_part *part, const lfb_put *what, lfb_wire *wire);
lfb_status lfb_part_put_answer(const lfb_plan *plan, const lfb_put *what, const redisReply *reply,
                               uint64_t *changed);

/* Keeps track of which commands of a job were written.  Returns whether command `i` is the first
 * one, or is written again: the server may then lack the script.  `next` begins with 0. */
bool lfb_put_first(uint64_t *next, uint64_t i);

/* The query by a GET of each bit.  For a layout's `ask` and `answer`. */
void lfb_part_ask_bits(const lfb_plan *plan, const lfb_part *part, const uint64_t *bits,
                       uint32_t count, lfb_wire *wire);
lfb_status lfb_part_bits_answer(const lfb_plan *plan, const uint64_t *bits, uint32_t count,
                                const redisReply *reply, bool *maybe);

/* The query by GETs of the words that hold the bits, at most 8 different ones. */
void lfb_part_ask_words(const lfb_plan *plan, const lfb_part *part, const uint64_t *bits,
                        uint32_t count, lfb_wire *wire);
lfb_status lfb_part_words_answer(const lfb_plan *plan, const uint64_t *bits, uint32_t count,
                                 const redisReply *reply, bool *maybe);

/* Write the command that reads only a part's mark, and check its reply.  Fails:
 * LFB_ERROR_REDIS_PART; as lfb_reply_expect(). */
void lfb_part_ask_mark(const lfb_plan *plan, const lfb_part *part, lfb_wire *wire);
lfb_status lfb_part_mark_answer(const lfb_plan *plan, const redisReply *reply);

/* Writes the command that makes a part `bytes` long, if it is shorter.  At its full length the
 * part becomes a draft, if the plan has one.  What the part holds stays unchanged. */
void lfb_part_grow(const lfb_plan *plan, const lfb_part *part, uint64_t bytes, lfb_wire *wire);

/* Writes the command that sets the mark. */
void lfb_part_set_mark(const lfb_plan *plan, const lfb_part *part, lfb_wire *wire);

/* The same two for a key of the module. */
void lfb_module_ask_mark(const lfb_part *part, lfb_wire *wire);
lfb_status lfb_module_mark_answer(const lfb_plan *plan, const redisReply *reply);

/* Writes the beginning of a command to the module, which that many keys follow.  Reads its reply
 * into bit i of `yes`, 0 at first.  Fails: LFB_ERROR_REDIS_PART; as lfb_module_status(). */
void lfb_module_begin(const lfb_part *part, bool put, uint32_t keys, lfb_wire *wire);
lfb_status lfb_module_answers(const redisReply *reply, uint32_t keys, uint64_t *yes);

LFB_EXTERN_C_END

#endif
