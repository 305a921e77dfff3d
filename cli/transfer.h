/*
 * transfer.h - `lfbloom remote load` and `remote save`: filters between files and a Redis server,
 * where they are plain strings or keys of the module for Redis.
 */
#ifndef CLI_TRANSFER_H
#define CLI_TRANSFER_H

#include <stdbool.h>

#include "cli/options.h"
#include "cli/window.h"

struct transfer {
  struct options_reading reading;
  bool module;             /* save as a key of the module         */
  struct window_span span; /* of such a key, if it is a window    */
};

/* Loads the filter at an address into a file.  False after a report. */
bool transfer_load(const struct transfer *transfer, const char *from, const char *to);

/* Saves a file at an unused address.  False after a report. */
bool transfer_save(const struct transfer *transfer, const char *from, const char *to);

#endif
