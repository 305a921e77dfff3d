/*
 * lfbloom/redis.h - filters on a Redis server or cluster.
 *
 * In a library of its own, liblfbloom_redis: programs without Redis need no hiredis.
 */
#ifndef LFBLOOM_REDIS_H
#define LFBLOOM_REDIS_H

#include <lfbloom/any.h>
#include <lfbloom/status.h>
#include <stdbool.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

/*
 * How to reach a server, or a node of a cluster that tells the others, and how long to wait.  All
 * zero is the default: the local server.  A function that takes options copies their texts.  The
 * paragraphs below are for the fields that refer to them.
 *
 * Patience  A call waits for a server that cannot be reached or refuses for the moment, also for
 *           its first answer.  It connects again if it cannot connect, if the connection
 *           is lost, or if timeout_ms (while connecting: connect_ms) passes without an answer, and
 *           sends the unanswered commands again.  The server refuses while it loads its data,
 *           after it has become a replica or its master is down, if it has too many clients, or if
 *           its cluster has lost a master.  Before each new attempt there is a pause: 20 ms at
 *           first, twice as long each time, 2 s at most, and at random up to half as long again.
 *           The call fails after `retries` pauses in a row without any answer.  By default these
 *           are 20 to 30 s.  In that time a cluster with its default cluster-node-timeout of 15 s
 *           replaces a dead master by a Redis replica.
 *           Without any pause a call fails if a user or password is refused or missing
 *           (LFB_ERROR_REDIS_LOGIN), if the user lacks a right (_DENIED), if another program
 *           answers (_PROTOCOL), if the host's name does not exist (_HOST), or if TLS fails.  But
 *           if the same connection, to a server or cluster, has been made before, a name that does
 *           not exist is tried again like any failure.
 * Failover  A server acknowledges a write before its Redis replicas have it.  If the server fails
 *           then and a Redis replica takes its place, the newest acknowledged writes are lost.
 *           If `replicas` is n, a call that puts sends one WAIT at its end to each node that took
 *           part, over the same connection: one for any number of keys.  A call that creates,
 *           saves or publishes sends it after each of its steps.
 *           The call returns LFB_OK only once n Redis replicas have all that the node had by then.
 *           If fewer have it after replicas_ms, the call returns LFB_ERROR_REDIS_REPLICAS: the
 *           writes may be there or lost, so put again.  If a connection is lost during the call,
 *           all of it is done again, up to `retries` times.
 *           A write that was acknowledged this way survives the master if the replica that takes
 *           its place is one of the n.  A single replica always is; of several, Redis prefers
 *           the one that has most.  Writes to a slot that is just moving to another node are
 *           not covered.
 *           Off by default: a server may have no replicas, and each call takes one more round
 *           trip, between servers.
 * Window    A call with many keys sends `window` commands to a node before it has their answers.
 *           The server serves other clients after each portion, so with a smaller window they wait
 *           for less time.  A larger one is faster if the client is alone, or far away: it puts or
 *           queries at most `window` keys per round trip and node (docs/performance.md has times).
 * TLS       With `tls` each connection is encrypted, by TLS 1.2 or later.  The server's certificate
 *           must lead to one in ca_file, and be for server_name: a name or an address.  There is no
 *           way to leave that out.  The nodes of a cluster are at the addresses that CLUSTER SLOTS
 *           tells (see Redis' cluster-announce-hostname); with server_name, all of them have
 *           certificates for this name.  These files are read each time a connection is made for a
 *           thread.  A mistake is not tried again: LFB_ERROR_REDIS_TLS_FILE, _CERTIFICATE, _TLS;
 *           _NO_TLS: the library was built without OpenSSL.
 * Callbacks go_on and moved can report progress to people, or end a call.  They are called on
 *           the thread that waits: the caller's, or a follower's own.  If several threads wait,
 *           they are called on several at once.
 */
typedef struct lfb_redis_options {
  const char *host;     /* name or address, or the path of a Unix socket, which begins with a
                           slash; NULL: 127.0.0.1                                     */
  uint16_t port;        /* 0: 6379                                                    */
  const char *user;     /* NULL: the server's default user                            */
  const char *password; /* NULL: none                                                 */
  uint32_t connect_ms;  /* limit for connecting and logging in, but not for the lookup of a
                           name; 0: 1000                                              */
  uint32_t timeout_ms;  /* longest silence of a node while an answer is due; 0: 5000  */
  uint32_t retries;     /* pauses in a row (Patience, above); 0: 16; UINT32_MAX: none */
  uint32_t window;      /* commands sent to a node ahead of its answers (Window, above); 0: 64 */
  uint32_t replicas;    /* Redis replicas that must have a write (Failover, above); 0: none */
  uint32_t replicas_ms; /* longest wait for them; 0: 1000; at most half of timeout_ms */
  bool tls;             /* connect by TLS (TLS, above)                                */
  bool module;          /* new filters are keys of the module (lfb_redis, below), not strings */
  /* Called before each pause.  `why` is the failure; silent_ms is how long nothing has been
   * answered.  If it returns false, the call fails with `why`.  NULL: only `retries` counts. */
  bool (*go_on)(void *told, lfb_status why, uint64_t silent_ms);
  /* Called again and again while a filter's words are saved or loaded; `bytes` is how many were
   * moved since the last call.  If it returns false, the call fails with LFB_ERROR_STOPPED.
   * NULL: not called. */
  bool (*moved)(void *told, uint64_t bytes);
  void *told;           /* first argument of both; not copied                         */
  const char *ca_file;     /* the certificates to trust, as PEM; NULL: the system's      */
  const char *certificate; /* of this client, with its chain, as PEM; NULL: none         */
  const char *private_key; /* of that certificate, as PEM, not encrypted; NULL: in the same file */
  const char *server_name; /* that the server's certificate must have; NULL: the host    */
  uint64_t database;       /* SELECT; in a cluster only 0, else LFB_ERROR_REDIS_DATABASE */
  uint64_t reserved[8];    /* must be 0 (lfbloom/status.h) */
} lfb_redis_options;

enum {
  LFB_REDIS_URL_SIZE = 1023, /* bytes of the longest accepted address */
};

/* A parsed address.  It must not be copied: its texts point into it. */
typedef struct lfb_redis_address {
  lfb_redis_options options; /* host, port, user, password, tls, module, database; others zero */
  const char *name;          /* of the filter; "" if there is none                   */
  char text[LFB_REDIS_URL_SIZE + 1]; /* the memory of these texts */
  uint64_t reserved[8]; /* 0 (lfbloom/status.h) */
} lfb_redis_address;

/*
 * Reads redis://[[user]:password@]host[:port][/name][?db=N][&layout=module], or rediss:// for TLS;
 * or, for a Unix socket, redis+unix://[[user]:password@]/path?name=NAME; db and layout as before.
 * layout=module sets options.module.  valkey instead of redis means the same.  In user, password,
 * path and name %XX stands for a byte; they may hold any byte except NUL.  A ? in a name is written
 * %3F.  An IPv6 address is written in brackets.  What follows the slash is never a database:
 * redis://host/0 is the filter named 0.
 *
 * Fails  LFB_ERROR_REDIS_ADDRESS, `address` untouched: another scheme, no host, a port
 *        outside 1 to 65535, a lone %, %00, anything else after a ?, or
 *        more than LFB_REDIS_URL_SIZE bytes.
 */
LFB_CHECKED lfb_status lfb_redis_parse_url(const char *url, lfb_redis_address *address);

/*
 * A filter on the server that any number of processes share.
 *
 * Each strategy has a layout of its own; the fourth is that of a key of the module:
 *
 *   fast    LFB_FAST, LFB_FAST_PAIR.  A hash under the name describes the filter.  Its blocks
 *           are spread over strings {name:0}, {name:1}, ... of at most 64 MiB each; a cluster
 *           spreads these over its nodes.  Any size.  If the name has a hash tag, as in
 *           "{user}seen", the strings are name:0, ... and stay in that slot.
 *   guava   LFB_GUAVA_MITZ32, LFB_GUAVA_MITZ64.  A string under the name, byte for byte what
 *           Guava writes: Java's BloomFilter.readFrom reads what GET returns, and
 *           BITCOUNT name 6 -1 is its bit count.  Up to 2^32 bits, including the string's header.
 *   helper  LFB_REDIS_MITZ32.  A string under the name in which the well-known Java helper class
 *           over RedisTemplate sets bits, by SETBIT.  Filters of that class can be opened,
 *           queried and extended.  Keys must have the bytes that the class's funnel puts.  The
 *           example in circulation puts a string twice: give the bytes twice, one after the other.
 *           Opening a filter by this library also sets the bit after its last.
 *   module  A key that BF.RESERVE, BF.WINDOW.RESERVE or another command of the module
 *           lfbloom_redis.so has made (docs/module.md), also one that grows or forgets, but not a
 *           removable one (LFB_ERROR_COUNTING): a put that is sent again would count twice.
 *           lfb_redis_open() chooses it by the type of the key; lfb_redis_create() and
 *           lfb_redis_save() make one if options.module is set, never by themselves: a Redis
 *           replica without the module could not take over, lfb_redis_module_load() loads it,
 *           and its numbers are other keys.  The server hashes the keys.  Keys are bytes: the _u64
 *           functions put and query the 8 bytes of a number, little-endian, which is another key
 *           than the number is to lfb_filter_put_u64() of the loaded filter, except by
 *           SipHash-1-3.
 *
 * 1. Found      If a put was acknowledged (returned LFB_OK) before a query began, the query
 *               answers "maybe" or fails: never "absent".  This holds as far as the server keeps
 *               what it has acknowledged; what it loses in a crash (appendfsync) or a failover
 *               (without options.replicas) is lost to the filter, too.  It holds as long as a
 *               window (module) must remember.  Parts that are completely gone are detected.
 * 2. Parts      Each answer proves that its part was there, complete, and of this filter.  If a
 *               part is missing, cut short, or of another filter that was since made under the
 *               name, the call returns LFB_ERROR_REDIS_PART, never a silent "absent".  A put does
 *               not make a missing part again: what it leaves of fast and guava opens as no filter
 *               and is deleted at once; into helper it puts by a script that checks first.
 *               Exception: other programs define the bytes of guava and helper, so these cannot
 *               hold a random mark.  A filter that was made anew with the same size and probes
 *               looks the same: close the old one first.
 *               module: the mark is all that the key was made from, with the random key or seed of
 *               its hash.  A put does not make a missing key (BF.INSERT NOCREATE).  A missing key
 *               answers BF.MEXISTS with zeros; so each call reads the mark after its last command,
 *               and fails if it is not there or another.  Exception: a key with the same hash
 *               (COPY, BF.LIKE, RESTORE) that is put under its name looks the same, and so does
 *               one that was away during the call and came back.
 * 3. Changed    put reports exactly whether it turned on at least one bit.  The server sets all
 *               bits of a key at once: if any number of clients put a new key, exactly one of
 *               them gets true.  Exception: if the connection was lost during a put and the put
 *               was sent again, it reports true, so that no new key is ever reported as old.  (A
 *               put that is repeated for options.replicas keeps its first answer.)  module: whether
 *               the server counts the key as new, as BF.ADD does; a window forgets in between.
 * 4. Many       lfb_redis_many() sends commands ahead of their answers: options.window to
 *               each node, to all nodes at once.  Each command is short (module: 64 keys), and the
 *               server serves other clients in between.
 * 5. Failing    A put that fails may have put all, some or none of its keys: put again.  A call
 *               that fails leaves its outputs untouched.
 * 6. Threads    All functions may run concurrently, except lfb_redis_close() and
 *               lfb_redis_rename(), which run alone.  Each call in progress has a connection of
 *               its own; up to 16 are kept.  A filter may not be used across fork().
 * 7. Key        fast: the key of the hash (config.key) lies in the hash under the name, unless it
 *               was passed without config.keep_key.  A client that may read that hash (HGET) can
 *               choose keys that are all false positives.  A published filter
 *               (lfbloom/redis_source.h) holds its key in the same way.  guava and helper: their
 *               hash has no key.  module: a user with the right to BF.SCANDUMP can read it.
 * 8. Rights     If ACLs restrict the user, a query needs BITFIELD_RO, and a put BITFIELD and EVAL;
 *               with helper, EVAL, EVALSHA, GETBIT and SETBIT; with module, BF.MEXISTS and
 *               BF.INSERT, both with BF.SCANDUMP; figures BF.INFO and BF.SCANDUMP.
 *
 * Each function can also fail because of the connection: LFB_ERROR_REDIS_HOST, _CONNECT,
 * _LOST, _TIMEOUT, _LOGIN, _DENIED, _PROTOCOL, _MEMORY, _UNAVAILABLE, _REFUSED,
 * LFB_ERROR_NO_MEMORY.  Functions that write can also fail with LFB_ERROR_REDIS_REPLICAS.
 */
typedef struct lfb_redis lfb_redis;

/*
 * Makes an empty filter.  Nothing may exist under its name, nor under the names of its parts.
 *
 * Takes  name        1 to 512 bytes, any but NUL.
 *        config      as for lfb_filter_create(); its strategy decides the layout.  With
 *                    options.module it is LFB_DEFAULT or LFB_FAST, and the filter grows
 *                    (EXPANSION 2).
 *        part_bytes  fast: the largest size of a part, up to 64 MiB; 0: 4 MiB.
 * Fails  as lfb_filter_create(), except for lack of memory for the bits;
 *        LFB_ERROR_FORM_CANNOT_HOLD: the strategy has no layout; LFB_ERROR_MODULE_FILTER: that of
 *        the module has not this strategy, or must have the key of the hash (config.keep_key);
 *        LFB_ERROR_MODULE_MISSING; LFB_ERROR_OVER_LIMIT; LFB_ERROR_REDIS_BAD_NAME,
 *        _EXISTS, _TOO_MANY_BITS; LFB_ERROR_REDIS_PART: the filter's description was lost during
 *        the call, for example with a master.
 * Killed If the process is killed during the call, what it leaves cannot be opened
 *        (LFB_ERROR_REDIS_UNFINISHED; helper: an empty filter): delete it.
 * Server The call allocates the full size.  A part grows by a MiB at a time, and the server
 *        serves other clients in between (docs/performance.md has times).  A string of more than
 *        4 MiB may be moved while it grows: up to 0.8 s at 512 MiB.
 */
LFB_CHECKED lfb_status lfb_redis_create(const lfb_redis_options *options, const char *name,
                                        const lfb_config *config, uint64_t part_bytes,
                                        lfb_redis **filter);

/*
 * Opens the filter under a name, and checks each of its parts.
 *
 * Takes  wanted  NULL: any filter, except helper, which has no description.  Otherwise the
 *                configuration that it must have been made with (fpp 0: any, except helper),
 *                and the key of a keyed hash.  It must have this hash, unless that is
 *                LFB_HASH_DEFAULT, and this seed, unless that is 0.
 * Fails  LFB_ERROR_REDIS_BAD_NAME; _ABSENT: nothing is under the name; _NO_FILTER: something
 *        else is; _UNFINISHED; _PART; LFB_ERROR_PROBES_DIFFER, _BIT_COUNT_DIFFERS,
 *        _STRATEGY_DIFFERS, _HASH_DIFFERS: it is not the wanted filter (module: the n and p that
 *        the key was made for); LFB_ERROR_KEY_NEEDED,
 *        _WRONG_KEY, _UNKNOWN_VERSION, _BAD_HEADER, _BAD_CHECKSUM, _BAD_STRATEGY, _OLD_FAST,
 *        _BAD_PROBES, _BAD_WORD_COUNT: its description; if `wanted` is not valid, as
 *        lfb_filter_create().
 */
LFB_CHECKED lfb_status lfb_redis_open(const lfb_redis_options *options, const char *name,
                                      const lfb_config *wanted, lfb_redis **filter);

/* Closes the connections and frees the memory.  The filter stays on the server.  NULL is
 * ignored. */
LFB_API void lfb_redis_close(lfb_redis *filter);

/*
 * Gives the words with which the server, or the network, ended a call: for example "OOM command not
 * allowed when used memory > 'maxmemory'." or "127.0.0.1: Connection refused".
 *
 * Takes   failure  what this thread's last call of a function of this header or of
 *                  lfbloom/redis_source.h returned; or `why`, within go_on.
 * Returns a text on one line, at most 255 bytes, without control characters; "" if the call failed
 *         for another reason.  It may hold names of keys and users, and no password.  It is valid
 *         until the thread's next such call.
 * Threads Each thread has its own, so calls on other threads do not change it, not even calls with
 *         the same filter.  What a follower does on its own thread has none.
 */
LFB_API const char *lfb_redis_last_error(lfb_status failure);

/*
 * Put or query one key.  Keys are hashed as the functions of lfbloom/filter.h hash them.
 *
 * Gives  changed  whether the put turned on a bit; may be NULL.
 *        maybe    whether the key may be present.
 * Fails  LFB_ERROR_REDIS_PART; module: LFB_ERROR_CANNOT_GROW: it is full (NONSCALING), or cannot
 *        grow; LFB_ERROR_OVER_LIMIT: it would be larger than the server's max-bytes;
 *        LFB_ERROR_MODULE_MISSING.
 */
LFB_CHECKED lfb_status lfb_redis_put(lfb_redis *filter, const void *bytes, size_t size,
                                     bool *changed);
LFB_CHECKED lfb_status lfb_redis_might_contain(lfb_redis *filter, const void *bytes, size_t size,
                                               bool *maybe);

/*
 * Put or query many keys in one call, or one that is a number.
 *
 * Takes  verb     LFB_PUT or LFB_MIGHT_CONTAIN.
 *        keys     `count` of this kind: LFB_BYTES_KEY or LFB_U64_KEY.
 * Gives  answers  NULL, or (count + 63) / 64 words that receive answer i in bit i % 64 of word
 *                 i / 64; bits beyond the last answer are 0.
 *        yes      how many answers are true; may be NULL.
 * Order  If a key occurs twice, it counts as new once: at its first place, unless a cluster
 *        moves its slot during the call.
 * Fails  as for one key; LFB_ERROR_NO_MEMORY.
 */
LFB_CHECKED lfb_status lfb_redis_many(lfb_redis *filter, lfb_verb verb, const void *keys,
                                      size_t count, uint64_t *answers, size_t *yes,
                                      lfb_key_kind kind);

/*
 * Gives the filter's figures, as of a plain one.  The server counts bits_set, a MiB at a time;
 * other clients may put in between.  `form` is LFB_FORM_NONE.  Fails: LFB_ERROR_REDIS_PART.
 *
 * module: as BF.INFO tells them.  The kind is LFB_KIND_GROWING if the key can grow, and
 * LFB_KIND_WINDOW of a window.  bytes is the memory that the key takes.  approximate_count is how
 * many keys the server has counted as new, also those that a window has forgotten.  bits_set is 0:
 * nobody counts.  Besides `all` only growing.layers, window.generations and window.span are filled.
 */
LFB_CHECKED lfb_status lfb_redis_stats(lfb_redis *filter, lfb_figures *figures);

/* Gives the figures of the filter as if it were empty.  Sends nothing to a server. */
LFB_API void lfb_redis_plan(const lfb_redis *filter, lfb_stats *stats);

/*
 * Makes the whole filter expire in so many milliseconds; 0: never.  Its parts expire within
 * moments of each other; a call in between fails with LFB_ERROR_REDIS_PART.  So does this
 * call if a part is missing.  EXPIRE of the name alone, by another client, leaves the parts: all
 * calls then fail with LFB_ERROR_REDIS_PART until lfb_redis_delete() removes them.
 */
LFB_CHECKED lfb_status lfb_redis_expire(lfb_redis *filter, uint64_t milliseconds);

/*
 * Renames the whole filter.  Nothing may exist under the new name.  Other clients that have the
 * filter open get LFB_ERROR_REDIS_PART from then on.
 *
 * Fails  LFB_ERROR_REDIS_BAD_NAME; _EXISTS; _PART; _OTHER_SLOT: in a cluster both names must have
 *        the same hash tag.  Keys that were already renamed get their old names back, if the
 *        server can be reached.
 */
LFB_CHECKED lfb_status lfb_redis_rename(lfb_redis *filter, const char *name);

/*
 * Deletes the filter under a name, also one that is unfinished or lacks parts, or whose parts alone
 * are left ({name:0} and so on, of one size).  The server frees the memory in the background.
 *
 * Takes  strategy  LFB_REDIS_MITZ32 for a string that the Java helper class made, since it has
 *                  no description; otherwise 0 or the filter's strategy.
 * Fails  LFB_ERROR_REDIS_BAD_NAME, _ABSENT, _NO_FILTER.
 */
LFB_CHECKED lfb_status lfb_redis_delete(const lfb_redis_options *options, const char *name,
                                        lfb_strategy_id strategy);

/*
 * Saves a filter from memory under a name that nothing exists under.  The copy holds what was put
 * before the call, and some of what is put during the call.  No client can open it before it
 * is complete; a helper filter, which has no description, can be opened earlier.  With
 * options.module it is lfb_redis_module_save().
 *
 * Fails  as lfb_redis_create(); LFB_ERROR_STOPPED.
 */
LFB_CHECKED lfb_status lfb_redis_save(const lfb_redis_options *options, const char *name,
                                      const lfb_filter *from, uint64_t part_bytes);

/*
 * Loads the filter into memory: what was acknowledged before the call, and some of what is put
 * during the call.
 *
 * Takes  limits  NULL, or limits of which only max_bytes is used.
 * Fails  LFB_ERROR_OVER_LIMIT, LFB_ERROR_REDIS_PART, LFB_ERROR_STOPPED, LFB_ERROR_NO_MEMORY.
 * Owner  the caller, until lfb_filter_free().
 */
LFB_CHECKED lfb_status lfb_redis_load(lfb_redis *filter, const lfb_read_limits *limits,
                                      lfb_filter **local);

/* What a key of the module for Redis holds (docs/module.md), in memory.  The bits are the same
 * there and in memory. */
typedef struct lfb_redis_module_value {
  lfb_any any; /* plain, of strategy fast, also a key that can grow and has not grown yet;
                  growing, with layers of strategy fast; a window of the clock or of keys
                  (period_ms); counting, of strategy tags */
  uint64_t period_ms;   /* of a window: the length of a generation, which the server ends by its
                           clock; 0: it ends one after n / G new keys                           */
  uint64_t reserved[8]; /* must be 0 (lfbloom/status.h) */
} lfb_redis_module_value;

/*
 * Saves a filter as a key of the module, under a name that nothing exists under.  No other thread
 * may put into it meanwhile.
 *
 * The key is loaded under the name {name}:loading:NUMBER (name:loading:NUMBER if the name has a
 * hash tag of its own).  Once it is whole it is renamed.  If the call fails, it is deleted; if the
 * process is killed, it expires after ten minutes.
 *
 * Figures  The key's count of items (BF.CARD) is the estimate of lfb_filter_stats().  A filter
 *          becomes a key that does not grow (NONSCALING).  A growing filter grows there by the
 *          number of its items; its memory preference for later layers is lost.
 * Rights   BF.LOADCHUNK, BF.CARD, TYPE, PEXPIRE, EVAL with EXISTS, PERSIST and RENAMENX, UNLINK.
 * Fails    LFB_ERROR_REDIS_BAD_NAME, _EXISTS; LFB_ERROR_MODULE_MISSING; LFB_ERROR_MODULE_FILTER:
 *          another strategy than fast or tags, n or p unknown, a key of the hash that is not in
 *          files, or a window that advances by insertions itself; LFB_ERROR_OVER_LIMIT:
 *          larger than the module's max-bytes; LFB_ERROR_REDIS_PART: the server lost the key during
 *          the call; LFB_ERROR_REDIS_OTHER_SLOT: a name with a brace but no hash tag, in a cluster;
 *          LFB_ERROR_STOPPED.
 */
LFB_CHECKED lfb_status lfb_redis_module_save(const lfb_redis_options *options, const char *name,
                                             const lfb_redis_module_value *value);

/*
 * Loads what a key of the module holds.  A key that changes meanwhile is loaded again, 8 times at
 * most.
 *
 * Takes  limits  NULL, or limits of which only max_bytes is used.  In addition the call takes up to
 *                some 100 MiB, for replies of the server.
 * Fails  LFB_ERROR_REDIS_BAD_NAME, _ABSENT; LFB_ERROR_REDIS_NO_FILTER: a key of another type;
 *        LFB_ERROR_REDIS_UNFINISHED: chunks of it are missing; LFB_ERROR_MODULE_MISSING, _CHANGED;
 *        LFB_ERROR_MODULE_CHAIN: it has grown, and not as a growing filter does, with twice the
 *        keys in each layer, from LFB_GROWING_LEAST on; as lfb_any_read();
 *        LFB_ERROR_STOPPED.
 * Owner  the caller, until lfb_any_free().
 */
LFB_CHECKED lfb_status lfb_redis_module_load(const lfb_redis_options *options, const char *name,
                                             const lfb_read_limits *limits,
                                             lfb_redis_module_value *value);

LFB_EXTERN_C_END

#endif
