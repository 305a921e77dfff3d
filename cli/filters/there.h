/*
 * there.h - a filter on a server.
 */
#ifndef CLI_FILTERS_THERE_H
#define CLI_FILTERS_THERE_H

#include "cli/filters/address.h"

/* An open filter on a server; all zero: none. */
struct there {
  lfb_redis *filter;
  bool twice; /* each key is hashed as if it were written twice */
};

/* What any filter is opened with that may need the key of its hash; NULL: none. */
lfb_config there_wanted(const uint8_t *key);

/* Opens the filter at an address.  If it is being made, waits up to 5 seconds until it is whole. */
lfb_status there_open(const struct address *address, const lfb_config *wanted, struct there *there);

/* Makes the filter at an address, or opens it if another process makes it first. */
lfb_status there_make(const struct address *address, const lfb_config *config, struct there *there);

/* Loads the filter at an address into memory, with a bar: a key of the module, or strings. */
lfb_status there_load(const struct address *address, const lfb_config *wanted,
                      lfb_redis_module_value *value);

/* As source_do(), without a report. */
lfb_status there_do(const struct there *there, lfb_verb verb, const lfb_key *keys, size_t count,
                    uint64_t *answers, size_t *yes);

/* The status of opening the filter as lfb_redis_open() does, without waiting. */
lfb_status there_look(const struct address *address, const lfb_config *wanted);

/* Whether the name at an address is unused.  False after a report. */
bool there_is_free(const char *path);

/* Whether a filter with these figures, which was read from `from`, can be on a server.  False after
 * a report. */
bool there_holds(const char *from, const lfb_stats *stats);

/* Saves at an unused address, with a bar.  False after a report; if signals are blocked and one is
 * pending that would end the program, without one. */
bool there_save(const char *path, const lfb_redis_module_value *value);

#endif
