/* register.c - tells the server of each command: its function, its keys, its rights, its words. */
#include <stdio.h>
#include <string.h>

#include "redis/module/commands.h"

/* ---- words ----------------------------------------------------------------------------------- */

#define WORD(name_, type_, spec, token_, flags_)                                               \
  {                                                                                            \
    .name = (name_), .type = (type_), .key_spec = (spec), .token = (token_), .flags = (flags_) \
  }
#define NAMED(name, type) WORD(name, type, -1, NULL, 0)
#define KEY(name, spec) WORD(name, REDIS_ARGUMENT_KEY, spec, NULL, 0)
#define MANY(name, type, spec) WORD(name, type, spec, NULL, REDIS_ARGUMENT_MULTIPLE)
#define OPTION(token, name, type) WORD(name, type, -1, token, REDIS_ARGUMENT_OPTIONAL)
#define FLAG(token, name) OPTION(token, name, REDIS_ARGUMENT_TOKEN)
#define CHOICE(token, name) WORD(name, REDIS_ARGUMENT_TOKEN, -1, token, 0)
static const lfb_redis_argument key_only[] = {KEY("key", 0), {0}};
static const lfb_redis_argument key_item[] = {
    KEY("key", 0), NAMED("item", REDIS_ARGUMENT_TEXT), {0}};
static const lfb_redis_argument key_items[] = {
    KEY("key", 0), MANY("item", REDIS_ARGUMENT_TEXT, -1), {0}};
static const lfb_redis_argument reserve[] = {
    KEY("key", 0),
    NAMED("error", REDIS_ARGUMENT_DOUBLE),
    NAMED("capacity", REDIS_ARGUMENT_INTEGER),
    OPTION("EXPANSION", "expansion", REDIS_ARGUMENT_INTEGER),
    FLAG("NONSCALING", "nonscaling"),
    FLAG("REMOVABLE", "removable"),
    OPTION("COPIES", "copies", REDIS_ARGUMENT_INTEGER),
    {0}};
static const lfb_redis_argument insert[] = {
    KEY("key", 0),
    OPTION("CAPACITY", "capacity", REDIS_ARGUMENT_INTEGER),
    OPTION("ERROR", "error", REDIS_ARGUMENT_DOUBLE),
    OPTION("EXPANSION", "expansion", REDIS_ARGUMENT_INTEGER),
    FLAG("NOCREATE", "nocreate"),
    FLAG("NONSCALING", "nonscaling"),
    CHOICE("ITEMS", "items"),
    MANY("item", REDIS_ARGUMENT_TEXT, -1),
    {0}};
static const lfb_redis_argument figures[] = {
    CHOICE("CAPACITY", "capacity"), CHOICE("SIZE", "size"), CHOICE("FILTERS", "filters"),
    CHOICE("ITEMS", "items"), CHOICE("EXPANSION", "expansion"), CHOICE("ERROR", "error"),
    CHOICE("ERRORNOW", "errornow"), CHOICE("KIND", "kind"), CHOICE("REFUSED", "refused"), {0}};
static const lfb_redis_argument info[] = {
    KEY("key", 0),
    {.name = "figure", .type = REDIS_ARGUMENT_ONE_OF, .key_spec = -1,
     .flags = REDIS_ARGUMENT_OPTIONAL, .parts = figures},
    {0}};
static const lfb_redis_argument like[] = {KEY("key", 0), KEY("other", 1), {0}};
static const lfb_redis_argument merge[] = {
    KEY("key", 0), MANY("other", REDIS_ARGUMENT_KEY, 1), FLAG("FORCE", "force"), {0}};
static const lfb_redis_argument scandump[] = {
    KEY("key", 0), NAMED("cursor", REDIS_ARGUMENT_INTEGER), {0}};
static const lfb_redis_argument loadchunk[] = {
    KEY("key", 0), NAMED("cursor", REDIS_ARGUMENT_INTEGER),
    NAMED("bytes", REDIS_ARGUMENT_TEXT), {0}};
static const lfb_redis_argument window[] = {
    KEY("key", 0),
    NAMED("error", REDIS_ARGUMENT_DOUBLE),
    NAMED("capacity", REDIS_ARGUMENT_INTEGER),
    OPTION("SPAN", "seconds", REDIS_ARGUMENT_DOUBLE),
    OPTION("GENERATIONS", "generations", REDIS_ARGUMENT_INTEGER),
    {0}};

/* ---- commands -------------------------------------------------------------------------------- */

typedef struct command_row {
  const char *name;
  lfb_redis_command run;
  const char *flags; /* "write" or "readonly", and "fast", are categories of rights, too */
  int arity;
  int first_flags;      /* of the first word, a key                               */
  int more_flags, last; /* of the second word to this one, if they are keys, or 0 */
  const char *summary, *complexity;
  const lfb_redis_argument *arguments;
} command_row;

static const char puts_fast[] = "write deny-oom fast";
/* A question may end a window's generation, which is replicated.  Without "may-replicate" it also
 * runs in read-only scripts, and during a pause of writes, in which lfb_key_tick() does nothing. */
static const char asks_fast[] = "readonly fast";

static const command_row rows[] = {
    {"bf.reserve", lfb_command_reserve, puts_fast, -4, LFB_KEY_PUTS, 0, 0,
     "Makes an empty filter.", "O(1)", reserve},
    {"bf.like", lfb_command_like, puts_fast, 3, LFB_KEY_PUTS, LFB_KEY_ASKS, 2,
     "Makes an empty filter with the size and the hash of another.", "O(1)", like},
    {"bf.window.reserve", lfb_command_window_reserve, puts_fast, -4, LFB_KEY_PUTS, 0, 0,
     "Makes a filter that forgets.", "O(1)", window},
    {"bf.window.advance", lfb_command_window_advance, "write", -2, LFB_KEY_ENDS, 0, 0,
     "Ends the current generation of a window.", "O(N), N is the size of the window", key_only},
    {"bf.add", lfb_command_add, puts_fast, 3, LFB_KEY_PUTS, 0, 0,
     "Adds an item, and makes the filter if it is missing.", "O(L), L is the number of layers",
     key_item},
    {"bf.madd", lfb_command_madd, puts_fast, -3, LFB_KEY_PUTS, 0, 0,
     "Adds items, and makes the filter if it is missing.", "O(N * L) for N items and L layers",
     key_items},
    {"bf.insert", lfb_command_insert, puts_fast, -4, LFB_KEY_PUTS, 0, 0,
     "Adds items, and makes the filter as described if it is missing.",
     "O(N * L) for N items and L layers", insert},
    {"bf.exists", lfb_command_exists, asks_fast, 3, LFB_KEY_ASKS, 0, 0,
     "Tells whether an item may be in a filter.", "O(L), L is the number of layers", key_item},
    {"bf.mexists", lfb_command_mexists, asks_fast, -3, LFB_KEY_ASKS, 0, 0,
     "Tells for each item whether it may be in a filter.", "O(N * L) for N items and L layers",
     key_items},
    {"bf.del", lfb_command_del, "write fast", -3, LFB_KEY_ENDS, 0, 0,
     "Deletes items from a removable filter.", "O(N) for N items", key_items},
    {"bf.card", lfb_command_card, asks_fast, 2, LFB_KEY_TELLS, 0, 0,
     "Returns how many items were added as new.", "O(1)", key_only},
    {"bf.info", lfb_command_info, asks_fast, -2, LFB_KEY_TELLS, 0, 0,
     "Returns figures of a filter.", "O(1); of a window O(N), N is its size", info},
    {"bf.merge", lfb_command_merge, "write deny-oom getkeys-api", -3, LFB_KEY_PUTS,
     LFB_KEY_ASKS | REDIS_KEY_INCOMPLETE, 2,
     "Adds all items of other filters.", "O(N), N is the size of the others", merge},
    {"bf.compare", lfb_command_compare, "readonly", 3, LFB_KEY_ASKS, LFB_KEY_ASKS, 2,
     "Estimates what two filters have in common.", "O(N), N is their size", like},
    {"bf.scandump", lfb_command_scandump, "readonly", 3, LFB_KEY_ASKS, 0, 0,
     "Returns a part of a filter.", "O(N), N is the size of the part", scandump},
    {"bf.loadchunk", lfb_command_loadchunk, "write deny-oom", 4, LFB_KEY_PUTS, 0, 0,
     "Makes a filter of the parts that BF.SCANDUMP returned.", "O(N), N is the size of the part",
     loadchunk},
};

static lfb_redis_key_spec key_spec(int flags, int index, int last)
{
  return (lfb_redis_key_spec){
      .flags = (uint64_t)flags,
      .begin = REDIS_KEY_BY_INDEX,
      .first.index = index,
      .find = REDIS_KEY_BY_RANGE,
      .range = {last < 0 ? last : last - index, 1, 0},
  };
}

static bool row_describe(lfb_redis_registered *command, const command_row *row)
{
  static const struct lfb_redis_info_sizes sizes = {
      1, 2 * sizeof(char *), sizeof(lfb_redis_key_spec), sizeof(lfb_redis_argument)};
  lfb_redis_key_spec specs[3] = {key_spec(row->first_flags, 1, 1)};

  if (row->last != 0)
    specs[1] = key_spec(row->more_flags, 2, row->last);
  const lfb_redis_command_info description = {
      .sizes = &sizes,
      .summary = row->summary,
      .complexity = row->complexity,
      .arity = row->arity,
      .key_specs = specs,
      .arguments = row->arguments,
  };
  return lfb_redis.SetCommandInfo(command, &description) == REDIS_OK;
}

/* Gives a command to the categories of rights that the server gives its own commands by these
 * flags, and to @bloom. */
static bool row_categorise(lfb_redis_registered *command, const command_row *row, bool bloom)
{
  char categories[32];

  (void)snprintf(categories, sizeof categories, "%s %s%s",
                 strncmp(row->flags, "write", 5) == 0 ? "write" : "read",
                 strstr(row->flags, "fast") != NULL ? "fast" : "slow", bloom ? " bloom" : "");
  return lfb_redis.SetCommandACLCategories(command, categories) == REDIS_OK;
}

static bool row_register(lfb_redis_context *context, const command_row *row, bool bloom)
{
  const int last = row->last != 0 ? row->last : 1;

  if (lfb_redis.CreateCommand(context, row->name, row->run, row->flags, 1, last, 1) != REDIS_OK)
    return false;
  lfb_redis_registered *command = lfb_redis.GetCommand(context, row->name);
  return command != NULL && row_describe(command, row) &&
         (lfb_redis.SetCommandACLCategories == NULL || row_categorise(command, row, bloom));
}

bool lfb_commands_register(lfb_redis_context *context)
{
  const bool bloom =
      lfb_redis.AddACLCategory != NULL && lfb_redis.AddACLCategory(context, "bloom") == REDIS_OK;

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!row_register(context, &rows[i], bloom))
      return false;
  return true;
}
