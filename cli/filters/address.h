/*
 * address.h - addresses of filters on a Redis server or cluster, as redis://host:port/name.
 *
 * An address is what lfb_redis_parse_url() takes, and ?helper=N,P.  A name on the command line that
 * begins so is never a file.  The password is in no report and, from main()'s first line on, in no
 * list of processes.
 *
 * A failure is reported with the address and what to do.  If a server does not answer for a second,
 * the tool reports that it waits.
 */
#ifndef CLI_FILTERS_ADDRESS_H
#define CLI_FILTERS_ADDRESS_H

#include <lfbloom/redis.h>
#include <stdbool.h>
#include <stdint.h>

/* Blanks the passwords of all addresses in the arguments, and remembers them.  To be called first.
 * False after a report. */
bool address_hide_passwords(int argc, char **argv);

/* Whether the command takes addresses, or none was among the arguments.  False after a report. */
bool address_fits(const char *command);

/* Options of all calls.  To be set before there is another thread. */
struct address_manner {
  uint32_t timeout_ms; /* a server that is silent for this long is given up; 0: 20 s, or 1 s
                          if it has not answered yet                                     */
  bool progress;       /* show a bar while a filter is saved or loaded                   */
};
extern struct address_manner address_manner;

/* Whether `path` begins as an address does. */
bool address_is(const char *path);

/* Whether new filters at an address are keys of the module (?layout=module). */
bool address_is_module(const char *path);

/* An address in parts. */
struct address {
  lfb_redis_address at; /* its options and name, with --timeout and the environment's */
  lfb_config helper;    /* what the filter of ?helper=N,P was made for; fpp is 0 without */
  bool twice;           /* ?helper=N,P,twice: its funnel puts each string twice       */
};

/* Reads an address.  False after a report. */
bool address_read(const char *path, struct address *address);

/* Reports a failure with the filter at an address, unless a signal that ends the program caused it:
 * one that is blocked and pending.  Returns false. */
bool address_report(const char *path, lfb_status status);

#endif
