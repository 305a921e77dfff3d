/*
 * json.h - prints one JSON object on one line.
 *
 * Each function prints a member of the object that was opened last, to stdout; output_close()
 * checks for errors.  No pointer is kept.
 */
#ifndef CLI_BASE_JSON_H
#define CLI_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size in bytes of the character at `text`, which is not ASCII; 0 if it is not UTF-8, or has
 * more than `left` bytes.  Reads none after a NUL. */
int json_utf8_size(const unsigned char *text, size_t left);

void json_open(const char *key); /* key NULL: the outermost object, or an element of a list */
void json_close(void);           /* also ends the line if the object is the outermost */

void json_open_list(const char *key); /* of objects, each opened by json_open(NULL) */
void json_close_list(void);

void json_text(const char *key, const char *value); /* NULL: null; a byte that is not
                                                       UTF-8 becomes U+FFFD */
void json_count(const char *key, uint64_t value); /* above 2^53 - 1: as json_digits(), because
                                                     many readers round larger numbers */
void json_count_if(const char *key, uint64_t value, bool known); /* not known: null */
void json_digits(const char *key, uint64_t value); /* a string of digits */
void json_float(const char *key, double value); /* shortest exact digits; not finite: null */
void json_bool(const char *key, bool value);

#endif
