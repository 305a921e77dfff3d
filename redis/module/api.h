/*
 * api.h - what this module uses of Redis' interface for modules.
 *
 * Redis passes a context to RedisModule_OnLoad().  Its first word is the address of a function that
 * finds all others by their names, and lfb_redis_find() asks it once for each function below.  A
 * module therefore links with no library of Redis.
 *
 * The functions, their meaning and their flags are as the documentation of Redis 7.0 states them:
 * https://redis.io/docs/latest/develop/reference/modules/modules-api-ref/
 */
#ifndef LFB_REDIS_MODULE_API_H
#define LFB_REDIS_MODULE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Redis' own objects; only Redis sees what is inside. */
typedef struct lfb_redis_context lfb_redis_context;
typedef struct lfb_redis_key lfb_redis_key;
typedef struct lfb_redis_string lfb_redis_string;
typedef struct lfb_redis_type lfb_redis_type;
typedef struct lfb_redis_io lfb_redis_io;         /* an RDB or AOF file that is read or written */
typedef struct lfb_redis_digest lfb_redis_digest; /* of DEBUG DIGEST                            */
typedef struct lfb_redis_info lfb_redis_info;     /* a reply to INFO                            */
typedef struct lfb_redis_registered lfb_redis_registered; /* a command */
typedef struct lfb_redis_blocked lfb_redis_blocked;       /* a client that waits for its reply */

/* What Redis calls.  A command returns REDIS_OK, also when it has replied with an error. */
typedef int (*lfb_redis_command)(lfb_redis_context *context, lfb_redis_string **words, int count);
typedef void (*lfb_redis_timer_fn)(lfb_redis_context *context, void *own);
typedef void (*lfb_redis_info_fn)(lfb_redis_info *info, int for_crash);
typedef long long (*lfb_redis_get_number_fn)(const char *name, void *own);
typedef int (*lfb_redis_set_number_fn)(const char *name, long long value, void *own,
                                       lfb_redis_string **error);
typedef lfb_redis_string *(*lfb_redis_get_string_fn)(const char *name, void *own);
typedef int (*lfb_redis_set_string_fn)(const char *name, lfb_redis_string *value, void *own,
                                       lfb_redis_string **error);

enum { REDIS_OK = 0,
       REDIS_ERROR = 1 };
enum { REDIS_API_VERSION = 1 };

/* How a key is opened. */
enum { REDIS_READ = 1,
       REDIS_WRITE = 2 };

/* Two of the types of values. */
enum { REDIS_TYPE_EMPTY = 0,
       REDIS_TYPE_MODULE = 6 };

/* Of ContextFlags(). */
enum {
  REDIS_FLAG_SCRIPT = 1 << 0,
  REDIS_FLAG_MULTI = 1 << 1,
  REDIS_FLAG_REPLICA = 1 << 3,
  REDIS_FLAG_REPLICATED = 1 << 12, /* the command comes from the master */
  REDIS_FLAG_LOADING = 1 << 13,    /* the command comes from the AOF    */
  REDIS_FLAG_NO_BLOCK = 1 << 21,   /* nor may the client be blocked     */
  REDIS_FLAG_RESP3 = 1 << 22,      /* the client speaks RESP3           */
};

/* Of SetModuleOptions(): a read from a bad RDB returns an error; without it the server exits. */
enum { REDIS_OPTION_HANDLE_IO_ERRORS = 1 };

/* The class of keyspace events that are a module's own. */
enum { REDIS_NOTIFY_MODULE = 1 << 13 };

/* Of a setting: CONFIG SET can change it; it takes 1gb and the like; its name stands without the
 * module's (from Redis 8.0 on). */
enum { REDIS_CONFIG_DEFAULT = 0,
       REDIS_CONFIG_MEMORY = 1 << 7,
       REDIS_CONFIG_UNPREFIXED = 1 << 9 };

/* What a command does with a key: to the key itself, and to what it holds. */
enum { REDIS_KEY_READ = 1 << 0,
       REDIS_KEY_CHANGE = 1 << 1,
       REDIS_KEY_ACCESS = 1 << 4, /* what it holds is returned, or used */
       REDIS_KEY_INSERT = 1 << 6,
       REDIS_KEY_DELETE = 1 << 7,
       REDIS_KEY_INCOMPLETE = 1 << 9 }; /* the command itself tells which words are keys */

/* Where keys are among the words: the first at `index`, the last at `last` after it, or before the
 * end. */
typedef struct lfb_redis_key_spec {
  const char *notes;
  uint64_t flags;
  int begin; /* REDIS_KEY_BY_INDEX */
  union {
    int index;
    struct {
      const char *keyword;
      int from;
    } keyword;
  } first;
  int find; /* REDIS_KEY_BY_RANGE */
  struct {
    int last, step, limit;
  } range;
} lfb_redis_key_spec;

enum { REDIS_KEY_BY_INDEX = 2,
       REDIS_KEY_BY_RANGE = 2 };

/* A word of a command, or several. */
typedef struct lfb_redis_argument {
  const char *name;
  int type;
  int key_spec; /* of a REDIS_ARGUMENT_KEY */
  const char *token, *summary, *since;
  int flags;
  const char *deprecated;
  const struct lfb_redis_argument *parts; /* of a REDIS_ARGUMENT_ONE_OF */
  const char *shown;
} lfb_redis_argument;

enum { REDIS_ARGUMENT_TEXT = 0,
       REDIS_ARGUMENT_INTEGER = 1,
       REDIS_ARGUMENT_DOUBLE = 2,
       REDIS_ARGUMENT_KEY = 3,
       REDIS_ARGUMENT_TOKEN = 6,
       REDIS_ARGUMENT_ONE_OF = 7 };
enum { REDIS_ARGUMENT_OPTIONAL = 1 << 0,
       REDIS_ARGUMENT_MULTIPLE = 1 << 1 };

/* Each array ends with an element of zeros. */
typedef struct lfb_redis_command_info {
  const struct lfb_redis_info_sizes {
    int version;
    size_t history, key_spec, argument; /* of one element */
  } * sizes;
  const char *summary, *complexity, *since;
  const void *history;
  const char *tips;
  int arity; /* the number of words; -n: at least n */
  const lfb_redis_key_spec *key_specs;
  const lfb_redis_argument *arguments;
} lfb_redis_command_info;

/* The functions of a type of values, in the order of Redis' version 3 of them. */
typedef struct lfb_redis_type_functions {
  uint64_t version;
  void *(*rdb_load)(lfb_redis_io *io, int version);
  void (*rdb_save)(lfb_redis_io *io, void *value);
  void (*aof_rewrite)(lfb_redis_io *io, lfb_redis_string *key, void *value);
  size_t (*mem_usage)(const void *value);
  void (*digest)(lfb_redis_digest *digest, void *value);
  void (*free)(void *value);
  int (*aux_load)(lfb_redis_io *io, int version, int when);
  void (*aux_save)(lfb_redis_io *io, int when);
  int aux_save_triggers;
  size_t (*free_effort)(lfb_redis_string *key, const void *value);
  void (*unlink)(lfb_redis_string *key, const void *value);
  void *(*copy)(lfb_redis_string *from, lfb_redis_string *to, const void *value);
  int (*defrag)(void *context, lfb_redis_string *key, void **value);
} lfb_redis_type_functions;

enum { REDIS_TYPE_VERSION = 3 };

/*
 * X(result, name, parameters): one row per function; Redis calls it RedisModule_<name>.  In
 * LFB_REDIS_OPTIONAL are those that an older Redis may lack: NULL there.
 */
#define LFB_REDIS_FUNCTIONS(X)                                                                   \
  /* the module, its commands and its type */                                                    \
  X(void, SetModuleAttribs, (lfb_redis_context *, const char *name, int version, int api))       \
  X(int, IsModuleNameBusy, (const char *name))                                                   \
  X(void, SetModuleOptions, (lfb_redis_context *, int options))                                  \
  X(int, CreateCommand,                                                                          \
    (lfb_redis_context *, const char *name, lfb_redis_command, const char *flags, int first_key, \
     int last_key, int step))                                                                    \
  X(lfb_redis_registered *, GetCommand, (lfb_redis_context *, const char *name))                 \
  X(int, SetCommandInfo, (lfb_redis_registered *, const lfb_redis_command_info *))               \
  X(lfb_redis_type *, CreateDataType,                                                            \
    (lfb_redis_context *, const char *name, int version, const lfb_redis_type_functions *))      \
  X(int, GetContextFlags, (lfb_redis_context *))                                                 \
  X(void, Log, (lfb_redis_context *, const char *level, const char *format, ...))                \
  X(long long, Milliseconds, (void))                                                             \
  X(lfb_redis_context *, GetDetachedThreadSafeContext, (lfb_redis_context *))                    \
  X(uint64_t, CreateTimer, (lfb_redis_context *, long long ms, lfb_redis_timer_fn, void *own))   \
  X(lfb_redis_blocked *, BlockClient,                                                            \
    (lfb_redis_context *, lfb_redis_command reply, lfb_redis_command timeout,                    \
     void (*free_own)(lfb_redis_context *, void *), long long timeout_ms))                       \
  X(int, UnblockClient, (lfb_redis_blocked *, void *own))                                        \
  X(void *, GetBlockedClientPrivateData, (lfb_redis_context *))                                  \
  /* memory that INFO and maxmemory count */                                                     \
  X(void *, Alloc, (size_t size))                                                                \
  X(void, Free, (void *))                                                                        \
  /* keys */                                                                                     \
  X(lfb_redis_key *, OpenKey, (lfb_redis_context *, lfb_redis_string * name, int mode))          \
  X(void, CloseKey, (lfb_redis_key *))                                                           \
  X(int, KeyType, (lfb_redis_key *))                                                             \
  X(int, DeleteKey, (lfb_redis_key *))                                                           \
  X(lfb_redis_type *, ModuleTypeGetType, (lfb_redis_key *))                                      \
  X(void *, ModuleTypeGetValue, (lfb_redis_key *))                                               \
  X(int, ModuleTypeSetValue, (lfb_redis_key *, lfb_redis_type *, void *value))                   \
  X(int, NotifyKeyspaceEvent,                                                                    \
    (lfb_redis_context *, int kind, const char *event, lfb_redis_string *key))                   \
  /* words of a command, and strings */                                                          \
  X(const char *, StringPtrLen, (const lfb_redis_string *, size_t *size))                        \
  X(int, StringToLongLong, (const lfb_redis_string *, long long *))                              \
  X(int, StringToDouble, (const lfb_redis_string *, double *))                                   \
  X(lfb_redis_string *, CreateString, (lfb_redis_context *, const char *bytes, size_t size))     \
  X(int, IsKeysPositionRequest, (lfb_redis_context *)) /* which words are keys, not the command */ \
  X(void, KeyAtPosWithFlags, (lfb_redis_context *, int index, int flags))                        \
  /* replies */                                                                                  \
  X(int, WrongArity, (lfb_redis_context *))                                                      \
  X(int, ReplyWithError, (lfb_redis_context *, const char *text))                                \
  X(int, ReplyWithSimpleString, (lfb_redis_context *, const char *text))                         \
  X(int, ReplyWithLongLong, (lfb_redis_context *, long long))                                    \
  X(int, ReplyWithDouble, (lfb_redis_context *, double))                                         \
  X(int, ReplyWithBool, (lfb_redis_context *, int))                                              \
  X(int, ReplyWithNull, (lfb_redis_context *))                                                   \
  X(int, ReplyWithArray, (lfb_redis_context *, long count))                                      \
  X(void, ReplySetArrayLength, (lfb_redis_context *, long count))                                \
  X(int, ReplyWithMap, (lfb_redis_context *, long count))                                        \
  X(int, ReplyWithStringBuffer, (lfb_redis_context *, const char *bytes, size_t size))           \
  /* replication and the AOF */                                                                  \
  X(int, Replicate, (lfb_redis_context *, const char *command, const char *format, ...))         \
  X(int, ReplicateVerbatim, (lfb_redis_context *))                                               \
  X(int, AvoidReplicaTraffic, (void)) /* whether writes are paused */                            \
  X(void, EmitAOF, (lfb_redis_io *, const char *command, const char *format, ...))               \
  /* RDB */                                                                                      \
  X(void, SaveStringBuffer, (lfb_redis_io *, const char *bytes, size_t size))                    \
  X(char *, LoadStringBuffer, (lfb_redis_io *, size_t * size))                                   \
  X(int, IsIOError, (lfb_redis_io *))                                                            \
  X(void, LogIOError, (lfb_redis_io *, const char *level, const char *format, ...))              \
  /* DEBUG DIGEST, INFO */                                                                       \
  X(void, DigestAddStringBuffer, (lfb_redis_digest *, const char *bytes, size_t size))           \
  X(void, DigestEndSequence, (lfb_redis_digest *))                                               \
  X(int, RegisterInfoFunc, (lfb_redis_context *, lfb_redis_info_fn))                             \
  X(int, InfoAddSection, (lfb_redis_info *, const char *name))                                   \
  X(int, InfoAddFieldULongLong, (lfb_redis_info *, const char *name, unsigned long long))        \
  X(int, InfoAddFieldCString, (lfb_redis_info *, const char *name, const char *value))

#define LFB_REDIS_OPTIONAL(X)                                                                   \
  X(int, SetCommandACLCategories, (lfb_redis_registered *, const char *categories))             \
  X(int, AddACLCategory, (lfb_redis_context *, const char *category))                           \
  X(void *, TryAlloc, (size_t size))                                                            \
  X(size_t, MallocSize, (void *))                                                               \
  X(int, RegisterStringConfig,                                                                  \
    (lfb_redis_context *, const char *name, const char *value, unsigned flags,                  \
     lfb_redis_get_string_fn, lfb_redis_set_string_fn, void *apply, void *own))                 \
  X(int, RegisterNumericConfig,                                                                 \
    (lfb_redis_context *, const char *name, long long value, unsigned flags, long long least,   \
     long long most, lfb_redis_get_number_fn, lfb_redis_set_number_fn, void *apply, void *own)) \
  X(int, LoadConfigs, (lfb_redis_context *))                                                    \
  X(int, LoadDefaultConfigs, (lfb_redis_context *)) /* never called: it shows Redis 8.0 */

#define LFB_REDIS_MEMBER(result, name, parameters) result(*name) parameters;
typedef struct lfb_redis_functions {
  LFB_REDIS_FUNCTIONS(LFB_REDIS_MEMBER)
  LFB_REDIS_OPTIONAL(LFB_REDIS_MEMBER)
} lfb_redis_functions;
#undef LFB_REDIS_MEMBER

/* The functions of the server that has loaded the module. */
extern lfb_redis_functions lfb_redis;

/* Finds the functions.  Returns false if the server lacks one that is not optional: no other
 * function may be called then. */
bool lfb_redis_find(lfb_redis_context *context);

#endif
