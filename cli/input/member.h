/*
 * member.h - finds the value of a member of a JSON object, by jansson.
 */
#ifndef CLI_INPUT_MEMBER_H
#define CLI_INPUT_MEMBER_H

#include <lfbloom/sink.h>
#include <stdbool.h>

LFB_EXTERN_C_BEGIN

/* Whether this program was built with jansson; without it, no text is JSON. */
bool member_have(void);

enum { MEMBER_DEPTH = 16 }; /* the most names in a path */

/* Whether `path` is a name, or names with dots between them: a.b is member b of the object a. */
bool member_path_is(const char *path);

enum member_result {
  MEMBER_FOUND,
  MEMBER_MISSING,
  MEMBER_COMPOUND, /* its value is an object or an array                   */
  MEMBER_NO_JSON,  /* the text is no JSON object: the problem tells why    */
};

struct member {
  lfb_key value;     /* if it was found: points into the text or the room */
  char problem[192]; /* if the text is no JSON object                     */
};

/*
 * Finds the member `path` of the JSON object that is the whole text; if an object has several of
 * one name, the last.  The text is read to its end; of the values of other members only brackets,
 * strings and words are checked.  A byte order mark in front of it is skipped.
 *
 * Takes   room  as many bytes as the text has, for a string without its escapes.
 * Gives   the value: of a string its bytes in UTF-8; a number, true, false and null as in the text.
 */
enum member_result member_find(const char *path, lfb_key text, char *room, struct member *member);

LFB_EXTERN_C_END

#endif
