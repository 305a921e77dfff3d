/*
 * json.h - printing one JSON object, in one line.
 *
 * Each function prints a member of the object that was opened last; no pointer
 * is kept.  Goes to stdout; output_close() says whether it arrived.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>

void json_open(const char *key); /* key NULL: the outermost object, or one in a list */
void json_close(void);           /* ends the line with the outermost */

void json_open_list(const char *key); /* of objects: each by json_open(NULL) */
void json_close_list(void);

void json_text(const char *key, const char *value); /* NULL: null; U+FFFD for each byte
                                                       that is not UTF-8 */
void json_count(const char *key, uint64_t value);
void json_real(const char *key, double value); /* as short as exact; not finite: null */
void json_bool(const char *key, bool value);
void json_null(const char *key);

#endif
