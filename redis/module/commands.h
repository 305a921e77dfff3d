/* commands.h - the commands of the module: docs/module.md describes each. */
#ifndef LFB_REDIS_MODULE_COMMANDS_H
#define LFB_REDIS_MODULE_COMMANDS_H

#include "redis/module/api.h"
#include "redis/module/value.h"

/* Registers all commands.  Returns false if Redis refuses one. */
bool lfb_commands_register(lfb_redis_context *context);

/* The type of values, as Redis sees it; set by lfb_type_register(). */
extern lfb_redis_type *lfb_module_type;

/* Registers the type.  Returns false if Redis refuses it. */
bool lfb_type_register(lfb_redis_context *context);

/* Lets a timer do the steps of what lfb_later_put_all() and lfb_later_copy() have begun. */
void lfb_module_continue(void);

/* ---- what the files of commands share ------------------------------------------------------ */

/* What commands do with keys (REDIS_KEY_..). */
enum {
  LFB_KEY_PUTS = REDIS_KEY_CHANGE | REDIS_KEY_INSERT,
  LFB_KEY_ENDS = REDIS_KEY_CHANGE | REDIS_KEY_DELETE,
  LFB_KEY_ASKS = REDIS_KEY_READ | REDIS_KEY_ACCESS,
  LFB_KEY_TELLS = REDIS_KEY_READ, /* figures, as STRLEN */
};

/* What a key holds. */
typedef enum lfb_found {
  LFB_FOUND_VALUE,
  LFB_FOUND_NOTHING,
  LFB_FOUND_LOADING, /* a value that waits for chunks */
  LFB_FOUND_OTHER,   /* another type                  */
} lfb_found;

/* A key that a command has opened. */
typedef struct lfb_open_key {
  lfb_redis_context *context;
  lfb_redis_string *name;
  lfb_redis_key *key; /* NULL: opened for reading, and absent */
  lfb_value *value;   /* NULL, unless _VALUE or _LOADING      */
  lfb_found found;
} lfb_open_key;

/* Opens a key; `mode` as OpenKey().  Close it by lfb_key_close(). */
lfb_open_key lfb_key_open(lfb_redis_context *context, lfb_redis_string *name, int mode);
void lfb_key_close(lfb_open_key *key);

/* Replies with why a key has no value that a command can use, and closes it. */
int lfb_key_refuse(lfb_open_key *key);

/* Reply with an error, with a status as an error, or with OK; and close the key. */
int lfb_key_error(lfb_open_key *key, const char *text);
int lfb_key_fail(lfb_open_key *key, lfb_status status);
int lfb_key_done(lfb_open_key *key);

/* Deletes a key, on this server and on replicas. */
void lfb_key_delete(lfb_open_key *key);

/* Makes an empty value for an empty key, with a hash of the settings' kind if the recipe has none;
 * and replicates its creation, so that replicas have the same hash.  Fails as
 * lfb_value_create(). */
LFB_CHECKED lfb_status lfb_key_make(lfb_open_key *key, const lfb_recipe *recipe);

/* Makes a key of that name, which must not exist, and replies. */
int lfb_key_reserve(lfb_redis_context *context, lfb_redis_string *name, const lfb_recipe *recipe);

/* Reads the error and the capacity, the third and the fourth word.  Returns NULL, or the error to
 * reply. */
const char *lfb_reserve_take(lfb_redis_string **words, double *rate, long long *capacity);

/* Takes the next keys of a command, at most LFB_VALUE_MANY.  Returns how many. */
size_t lfb_keys_take(lfb_redis_string **words, size_t count, lfb_key *keys);

/* Ends the generations of a window that are over, and replicates it.  Only a master does so: a
 * replica forgets when its master says so. */
void lfb_key_tick(lfb_open_key *key);

/* The limit on the bytes of a value.  What the master or the AOF has made has none. */
uint64_t lfb_limit(lfb_redis_context *context);

/* BF.RESERVE and BF.INSERT make values, and BF.ADD and the like add to them. */
int lfb_command_reserve(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_add(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_madd(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_insert(lfb_redis_context *context, lfb_redis_string **words, int count);

int lfb_command_exists(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_mexists(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_del(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_card(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_info(lfb_redis_context *context, lfb_redis_string **words, int count);

int lfb_command_scandump(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_loadchunk(lfb_redis_context *context, lfb_redis_string **words, int count);

int lfb_command_like(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_merge(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_compare(lfb_redis_context *context, lfb_redis_string **words, int count);

int lfb_command_window_reserve(lfb_redis_context *context, lfb_redis_string **words, int count);
int lfb_command_window_advance(lfb_redis_context *context, lfb_redis_string **words, int count);

#endif
