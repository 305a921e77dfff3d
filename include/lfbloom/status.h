/*
 * lfbloom/status.h - the result of every call that can fail.
 *
 * A call that fails leaves its outputs untouched and nothing half-done behind.
 * Numbers are never reused, so they may be stored and sent.
 *
 * Structs  A public struct of this library ends with reserved words, from which later versions take
 *          their new fields: its size never changes (docs/abi.md).  In a struct that the caller
 *          fills, they must be 0: set the whole struct to 0 first, for example by an initialiser.
 *          If not, the call fails with LFB_ERROR_RESERVED.  In a struct that the library fills,
 *          they are 0, and so is a field that the library is too old to know.
 */
#ifndef LFBLOOM_STATUS_H
#define LFBLOOM_STATUS_H

/* A header's declarations stand between these two: in C++ its functions have the linkage of C. */
#ifdef __cplusplus
#define LFB_EXTERN_C_BEGIN extern "C" {
#define LFB_EXTERN_C_END }
#else
#define LFB_EXTERN_C_BEGIN
#define LFB_EXTERN_C_END
#endif

LFB_EXTERN_C_BEGIN

/* Marks a function of the public interface; LFB_CHECKED: and the caller must use its status. */
#if defined(__GNUC__)
#define LFB_API __attribute__((visibility("default")))
#define LFB_CHECKED LFB_API __attribute__((warn_unused_result))
#else
#define LFB_API
#define LFB_CHECKED
#endif

/*
 * X(name, number, text): one row per status.  The text is a clause without a full stop; it says
 * what happened and, where the caller can do something, what to do.  docs/errors.md has them all.
 */
#define LFB_STATUS_LIST(X)                                                               \
  X(LFB_OK, 0, "success")                                                                \
  /* memory */                                                                           \
  X(LFB_ERROR_NO_MEMORY, 1, "out of memory")                                             \
  X(LFB_ERROR_SIZE_OVERFLOW, 2, "the size does not fit into the address space")          \
  /* any struct that the caller fills */                                                 \
  X(LFB_ERROR_RESERVED, 3,                                                               \
    "a reserved word of a struct is not 0: the program did not zero the struct, or "     \
    "needs a newer lfbloom")                                                             \
  /* the configuration of a filter */                                                    \
  X(LFB_ERROR_FPP_TOO_LOW, 10,                                                           \
    "the false-positive probability must be greater than 0; for fast, fast-pair and "    \
    "sbbf at least 1e-18, or 1e-12 if the filter grows; for tags at least 7e-9")         \
  X(LFB_ERROR_FPP_TOO_HIGH, 11, "the false-positive probability must be less than 1")    \
  X(LFB_ERROR_NO_BITS, 12,                                                               \
    "so few elements at so high a false-positive probability need no bits at all")       \
  X(LFB_ERROR_TOO_MANY_PROBES, 13,                                                       \
    "the false-positive probability asks for more than 255 probes")                      \
  X(LFB_ERROR_TOO_MANY_BITS, 14, "the filter is larger than its strategy can address")   \
  X(LFB_ERROR_UNKNOWN_STRATEGY, 15, "no such strategy")                                  \
  X(LFB_ERROR_UNKNOWN_FORMULA, 16, "no such formula for the number of probes")           \
  X(LFB_ERROR_UNKNOWN_HASH, 17, "this strategy does not take this hash, seed or key")    \
  X(LFB_ERROR_UNKNOWN_PREFERENCE, 18, "no such memory preference")                       \
  X(LFB_ERROR_NO_RANDOM, 19, "the operating system gave no random bytes for the hash")   \
  X(LFB_ERROR_CANNOT_GROW, 27,                                                           \
    "a filter of this strategy has a fixed size and cannot grow")                        \
  X(LFB_ERROR_TOO_MANY_LAYERS, 28,                                                       \
    "the growing filter already has the maximum number of layers")                       \
  X(LFB_ERROR_NO_PAIRS, 29,                                                              \
    "guava-mitz64 and windows in a shared file need a 16-byte "                          \
    "compare-and-exchange, which this processor lacks")                                  \
  X(LFB_ERROR_BAD_BYTES, 75,                                                             \
    "config.bytes is too small for a filter of so many keys, or this kind of filter "    \
    "does not take it")                                                                  \
  /* merging two filters */                                                              \
  X(LFB_ERROR_SAME_FILTER, 20, "a filter cannot be merged into itself")                  \
  X(LFB_ERROR_PROBES_DIFFER, 21, "the filters differ in their number of probes")         \
  X(LFB_ERROR_PROBES_DIFFER_BY_FORMULA, 22,                                              \
    "the filters differ in their number of probes: one was made with Guava's "           \
    "formula up to 31.1, the other with the current formula")                            \
  X(LFB_ERROR_BIT_COUNT_DIFFERS, 23, "the filters differ in their number of bits")       \
  X(LFB_ERROR_STRATEGY_DIFFERS, 24, "the filters differ in their strategy")              \
  X(LFB_ERROR_HASH_DIFFERS, 25,                                                          \
    "the filters differ in their hash, its key or its seed (random unless given)")       \
  /* serialised forms */                                                                 \
  X(LFB_ERROR_UNKNOWN_FORM, 30, "not a filter in any form that lfbloom knows")           \
  X(LFB_ERROR_FORM_CANNOT_HOLD, 31, "this form cannot hold a filter of this strategy")   \
  X(LFB_ERROR_TRUNCATED, 32, "the filter ends too early")                                \
  X(LFB_ERROR_TRAILING_BYTES, 33,                                                        \
    "the filter is followed by bytes that do not belong to it")                          \
  X(LFB_ERROR_BAD_STRATEGY, 34, "the filter names a strategy that does not exist")       \
  X(LFB_ERROR_BAD_PROBES, 35, "the filter claims to have no probes")                     \
  X(LFB_ERROR_BAD_WORD_COUNT, 36, "the filter claims an impossible number of words")     \
  X(LFB_ERROR_OVER_LIMIT, 37, "the filter is larger than the limit set for reading")     \
  X(LFB_ERROR_BAD_HEADER, 38, "the filter's header contradicts itself")                  \
  X(LFB_ERROR_BAD_CHECKSUM, 39, "the filter is damaged: a checksum does not match")      \
  X(LFB_ERROR_UNKNOWN_VERSION, 40,                                                       \
    "the filter's format version is unknown: another version of lfbloom may read it")    \
  X(LFB_ERROR_KEY_NEEDED, 41,                                                            \
    "the filter's hash is keyed: it opens only with its key")                            \
  X(LFB_ERROR_WRONG_KEY, 42, "this is not the key that the filter was made with")        \
  X(LFB_ERROR_NO_SUCH_FORM, 43, "no such form")                                          \
  /* 44 was BAD_LABEL */                                                                 \
  X(LFB_ERROR_OLD_FAST, 49,                                                              \
    "the filter has the layout of strategy fast from before the first release: build "   \
    "it again")                                                                          \
  X(LFB_ERROR_GROWING, 45,                                                               \
    "this is a growing filter: it cannot be opened as a plain filter or merged with "    \
    "one")                                                                               \
  X(LFB_ERROR_NOT_GROWING, 46, "this is a plain filter, not a growing one")              \
  X(LFB_ERROR_COUNTING, 47,                                                              \
    "this is a counting filter: it cannot be opened as a plain filter or merged "        \
    "with one")                                                                          \
  X(LFB_ERROR_NOT_COUNTING, 48, "this is a plain filter, not a counting one")            \
  /* files */                                                                            \
  X(LFB_ERROR_OPEN, 50, "the file cannot be opened")                                     \
  X(LFB_ERROR_READ, 51, "reading failed")                                                \
  X(LFB_ERROR_WRITE, 52, "writing failed")                                               \
  X(LFB_ERROR_SYNC, 53, "the file could not be synced to disk")                          \
  X(LFB_ERROR_RENAME, 54, "the finished file could not be renamed to its final name")    \
  X(LFB_ERROR_EXISTS, 55, "the file exists already")                                     \
  X(LFB_ERROR_NOT_REGULAR, 56, "not a regular file: a directory, a pipe or a device")    \
  /* filters in mapped files */                                                          \
  X(LFB_ERROR_MAP, 60, "the file cannot be mapped into memory")                          \
  X(LFB_ERROR_NOT_MAPPED, 61, "the filter is not in a mapped file")                      \
  X(LFB_ERROR_BYTE_ORDER, 62,                                                            \
    "the file was written on a machine with the other byte order")                       \
  X(LFB_ERROR_REPLACED, 63,                                                              \
    "the path no longer names this file: it was deleted or replaced while open")         \
  /* 64 to 66 were COUNT_MOVED, LAYER_MISSING and LAYER_REPLACED */                      \
  X(LFB_ERROR_GROWING_MAPPED, 67,                                                        \
    "this is a growing filter in a mapped file: it cannot be opened as a plain "         \
    "filter or merged with one")                                                         \
  /* 68 to 71 were OLD_MAPPED, OLD_GROWING, BAD_LIMIT and SAME_NAME */                   \
  /* strategy tags */                                                                    \
  X(LFB_ERROR_FULL, 72,                                                                  \
    "the counting filter is full: make one for more keys, or for more copies of a key")  \
  X(LFB_ERROR_TAGS, 73,                                                                  \
    "strategy tags keeps no bits: only a counting filter has it, and no plain filter "   \
    "can be made of one")                                                                \
  X(LFB_ERROR_TOO_MANY_COPIES, 74,                                                       \
    "strategy tags takes at most 16 copies of a key; 12 for an fpp below 1e-3, 8 below " \
    "2.5e-5")                                                                            \
  /* folding a filter */                                                                 \
  X(LFB_ERROR_CANNOT_FOLD, 86,                                                           \
    "the fold factor does not divide the filter's number of blocks or words")            \
  /* windows */                                                                          \
  X(LFB_ERROR_BAD_GENERATIONS, 80, "a window must have 1, 3 or 7 generations")           \
  X(LFB_ERROR_WRONG_GENERATION, 81, "this generation is not the current one")            \
  X(LFB_ERROR_WINDOW_HELD, 82,                                                           \
    "another thread or process is ending the window's generation")                       \
  X(LFB_ERROR_BAD_SPAN, 83, "a window's span must be from 0.001 to 1e9 seconds")         \
  X(LFB_ERROR_WINDOW, 84,                                                                \
    "this is a window filter: it cannot be opened as a plain filter or merged with one") \
  X(LFB_ERROR_NOT_WINDOW, 85, "this is not a window filter")                             \
  /* versions */                                                                         \
  X(LFB_ERROR_REBUILDING, 90, "a new version is being built already")                    \
  X(LFB_ERROR_NOT_REBUILDING, 91, "no new version is being built")                       \
  X(LFB_ERROR_NO_PREVIOUS, 92, "no previous version was kept")                           \
  X(LFB_ERROR_BAD_SOURCE, 93, "the source lacks a required function")                    \
  X(LFB_ERROR_STOPPED, 94, "the operation was stopped before it was complete")           \
  X(LFB_ERROR_NO_THREAD, 95, "the operating system could not start another thread")      \
  X(LFB_ERROR_FOLLOWING, 96, "the follower's thread is already running")                 \
  X(LFB_ERROR_IN_SECTION, 97,                                                            \
    "the calling thread is inside a section of a versions handle, and would wait for "   \
    "itself: leave the section first")                                                   \
  X(LFB_ERROR_NOTHING_YET, 98, "the source has no version yet")                          \
  /* a Redis server, 100 to 109 */                                                       \
  X(LFB_ERROR_REDIS_ADDRESS, 100,                                                        \
    "not an address of a Redis server: redis://[[user]:password@]host[:port][/name]")    \
  X(LFB_ERROR_REDIS_TLS, 101,                                                            \
    "TLS with the Redis server failed: it may not use TLS, or want a certificate of "    \
    "this client")                                                                       \
  X(LFB_ERROR_REDIS_CONNECT, 102, "cannot connect to the Redis server")                  \
  X(LFB_ERROR_REDIS_LOST, 103,                                                           \
    "the connection to the Redis server was lost: unanswered commands may have been "    \
    "executed")                                                                          \
  X(LFB_ERROR_REDIS_TIMEOUT, 104,                                                        \
    "the Redis server did not answer in time: the command may have been executed")       \
  X(LFB_ERROR_REDIS_LOGIN, 105, "the Redis server rejected this user or password")       \
  X(LFB_ERROR_REDIS_PROTOCOL, 106, "the server that answers is not a Redis server")      \
  X(LFB_ERROR_REDIS_MEMORY, 107, "the Redis server is out of memory")                    \
  X(LFB_ERROR_REDIS_UNAVAILABLE, 108,                                                    \
    "the Redis server or cluster cannot execute commands now")                           \
  X(LFB_ERROR_REDIS_REFUSED, 109, "the Redis server refused the command")                \
  /* a filter on a Redis server, 110 to 119 */                                           \
  X(LFB_ERROR_REDIS_BAD_NAME, 110,                                                       \
    "a filter's name on a Redis server must be 1 to 512 bytes long")                     \
  X(LFB_ERROR_REDIS_ABSENT, 111, "nothing exists under this name on the Redis server")   \
  X(LFB_ERROR_REDIS_EXISTS, 112, "this name is already in use on the Redis server")      \
  X(LFB_ERROR_REDIS_NO_FILTER, 113,                                                      \
    "the value under this name on the Redis server is not a filter that can be "         \
    "opened this way")                                                                   \
  X(LFB_ERROR_REDIS_UNFINISHED, 114,                                                     \
    "the filter is being made or deleted; if no process does so any more, delete it")    \
  X(LFB_ERROR_REDIS_PART, 115,                                                           \
    "a part of the filter is missing on the Redis server, or belongs to another filter") \
  X(LFB_ERROR_REDIS_TOO_MANY_BITS, 116,                                                  \
    "the filter needs more than 2^32 bits, the most that a Redis string can hold")       \
  X(LFB_ERROR_REDIS_OTHER_SLOT, 117,                                                     \
    "in a Redis cluster both names must have the same hash tag")                         \
  X(LFB_ERROR_REDIS_REPLICAS, 120,                                                       \
    "too few Redis replicas have the data: it may be lost if the Redis server fails")    \
  /* versions of a filter on a Redis server, 125 to 129 */                               \
  X(LFB_ERROR_NO_CHANGES, 125,                                                           \
    "the source cannot list the changes since the last version: a full rebuild is "      \
    "needed")                                                                            \
  X(LFB_ERROR_REDIS_OVERTAKEN, 126,                                                      \
    "another process published a version first: this one was not published")             \
  X(LFB_ERROR_REDIS_NO_VERSIONS, 127,                                                    \
    "the value under this name on the Redis server does not hold versions of a filter")  \
  X(LFB_ERROR_REDIS_OUTPACED, 128,                                                       \
    "each version was deleted, and a newer one published, before it could be loaded")    \
  /* a key of the module for Redis, 130 to 139 */                                        \
  X(LFB_ERROR_MODULE_MISSING, 130,                                                       \
    "the Redis server has not loaded the module lfbloom_redis.so")                       \
  X(LFB_ERROR_MODULE_CHANGED, 131,                                                       \
    "the filter changed each time while it was loaded from the Redis server")            \
  X(LFB_ERROR_MODULE_FILTER, 132,                                                        \
    "a key of the module holds only a filter of strategy fast or tags, with n, p and "   \
    "the key of its hash in it")                                                         \
  X(LFB_ERROR_MODULE_CHAIN, 133,                                                         \
    "the layers of this key of the module are not those of a growing filter: no "        \
    "file can hold them")                                                                \
  /* connections to a Redis server, 140 to 149; earlier ones from 100 */                 \
  X(LFB_ERROR_REDIS_HOST, 140, "the host name of the Redis server is unknown")           \
  X(LFB_ERROR_REDIS_NO_TLS, 141, "this lfbloom was built without TLS")                   \
  X(LFB_ERROR_REDIS_CERTIFICATE, 142,                                                    \
    "the Redis server's certificate is not trusted, has expired or is for another host") \
  X(LFB_ERROR_REDIS_TLS_FILE, 143,                                                       \
    "a file with certificates or a private key for TLS cannot be read or used")          \
  X(LFB_ERROR_REDIS_DATABASE, 144,                                                       \
    "the Redis server has no database of this number; a cluster has only number 0")      \
  X(LFB_ERROR_REDIS_DENIED, 147,                                                         \
    "the Redis server does not allow this user the command or the key")                  \
  /* deltas, 150 to 153 */                                                               \
  X(LFB_ERROR_DELTA, 150,                                                                \
    "this is a delta, not a filter: it is applied to the filter that it was made for")   \
  X(LFB_ERROR_NOT_DELTA, 151, "this is not a delta")                                     \
  X(LFB_ERROR_BAD_DELTA, 152, "the delta is damaged")                                    \
  X(LFB_ERROR_BITS_LOST, 153,                                                            \
    "the earlier filter has bits that the later one lacks: a delta can only add bits")

/* The result of a call that can fail: LFB_OK, or the reason for the failure. */
#define LFB_STATUS_ENUMERATOR(name, number, text) name = number,
typedef enum lfb_status { LFB_STATUS_LIST(LFB_STATUS_ENUMERATOR) LFB_STATUS_MAX_ =
                         0x7fff } lfb_status;
#undef LFB_STATUS_ENUMERATOR

/* Ignores a status that the caller does not need: a cast to void does not silence gcc. */
static inline void lfb_ignore(lfb_status status)
{
  (void)status;
}

/*
 * Returns the text of a status, in English: a constant string.  Never NULL; a number that is
 * not a status has the text "unknown status".  Wait-free; any thread.
 */
LFB_API const char *lfb_status_text(lfb_status status);

LFB_EXTERN_C_END

#endif
