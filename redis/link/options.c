/*
 * options.c - copies options, and reads addresses of two kinds:
 * redis://[[user]:password@]host[:port][/name][?db=N] and
 * redis+unix://[[user]:password@]/path[?name=NAME][&...].
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "redis/link/options.h"

#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"
#include "redis/link/wire.h"

/* Each text of the options. */
enum { OPTIONS_TEXTS = 7 };

static const char **options_text(lfb_redis_options *options, int i)
{
  const char **const texts[OPTIONS_TEXTS] = {
      &options->host,        &options->user,    &options->password, &options->ca_file,
      &options->certificate, &options->private_key, &options->server_name,
  };
  return texts[i];
}

lfb_status lfb_options_copy(const lfb_redis_options *from, lfb_redis_options *to)
{
  lfb_redis_options own = *from;
  bool done = true;

  if (LFB_RESERVED(from) != LFB_OK)
    return LFB_ERROR_RESERVED;
  for (int i = 0; i < OPTIONS_TEXTS; i++) {
    const char **text = options_text(&own, i), *theirs = *text;
    *text = theirs == NULL ? NULL : strdup(theirs);
    done &= (*text == NULL) == (theirs == NULL);
  }
  if (!done) {
    lfb_options_free(&own);
    return LFB_ERROR_NO_MEMORY;
  }
  *to = own;
  return LFB_OK;
}

void lfb_options_free(lfb_redis_options *options)
{
  for (int i = 0; i < OPTIONS_TEXTS; i++) {
    const char **text = options_text(options, i);
    free((void *)(uintptr_t)*text); /* const only for other code */
    *text = NULL;
  }
}

/* ---- addresses ----------------------------------------------------------- */

static int address_digit(char c)
{
  static const char digits[] = "0123456789abcdef0123456789ABCDEF";
  const char *found = c == '\0' ? NULL : strchr(digits, c);

  return found == NULL ? -1 : (int)((found - digits) % 16);
}

/* Replaces each %XX by its byte, in place. */
static bool address_decode(char *text)
{
  char *to = text;

  for (; *text != '\0'; text++, to++) {
    *to = *text;
    if (*text != '%')
      continue;
    const int high = address_digit(text[1]), low = high < 0 ? -1 : address_digit(text[2]);
    if (low < 0 || high + low == 0)
      return false;
    *to = (char)(16 * high + low);
    text += 2;
  }
  *to = '\0';
  return true;
}

static bool address_read_port(const char *text, uint16_t *port)
{
  uint64_t number;

  if (!lfb_wire_read_digits(text, strlen(text), UINT16_MAX, &number))
    return false;
  *port = (uint16_t)number;
  return number > 0;
}

/* Cuts a text in two at the first `c`; returns the second half, or NULL if there is no `c`. */
static char *address_cut(char *text, char c)
{
  char *at = strchr(text, c);

  if (at == NULL)
    return NULL;
  *at = '\0';
  return at + 1;
}

/* host[:port] */
static bool address_read_server(char *text, const char **host, uint16_t *port_number)
{
  char *port;

  *host = text;
  if (*text == '[') {
    *host = text + 1;
    char *behind = address_cut(text, ']');
    if (behind == NULL || (*behind != '\0' && *behind != ':'))
      return false;
    port = *behind == ':' ? behind + 1 : NULL;
  } else {
    port = address_cut(text, ':');
  }
  return **host != '\0' && (port == NULL || address_read_port(port, port_number));
}

/* [user]:password */
static bool address_read_login(char *text, lfb_redis_options *options)
{
  char *password = address_cut(text, ':');

  if (password == NULL || !address_decode(text) || !address_decode(password))
    return false;
  options->user = *text == '\0' ? NULL : text;
  options->password = password;
  return true;
}

/* A kind of address. */
typedef struct address_form {
  const char *scheme;
  bool tls;
  bool path; /* a Unix socket's, instead of host and port; the name is in the query */
} address_form;

static const address_form address_forms[] = {
    {"redis://", .tls = false},
    {"rediss://", .tls = true},
    {"valkey://", .tls = false},
    {"valkeys://", .tls = true},
    {"redis+unix://", .path = true},
    {"valkey+unix://", .path = true},
};

/* The form of an address; NULL: it is none. */
static const address_form *address_form_of(const char *url)
{
  for (size_t i = 0; i < sizeof address_forms / sizeof *address_forms; i++)
    if (strncmp(url, address_forms[i].scheme, strlen(address_forms[i].scheme)) == 0)
      return &address_forms[i];
  return NULL;
}

/* Reads one NAME=VALUE of a query. */
static bool address_read_term(char *term, const address_form *form, lfb_redis_options *options,
                              char **name)
{
  char *value = address_cut(term, '=');

  if (value == NULL)
    return false;
  if (strcmp(term, "db") == 0)
    return lfb_wire_read_digits(value, strlen(value), INT32_MAX, &options->database);
  if (strcmp(term, "layout") == 0) {
    options->module = true;
    return strcmp(value, "module") == 0;
  }
  *name = value;
  return form->path && strcmp(term, "name") == 0;
}

/* Reads what follows a ?; NULL is nothing. */
static bool address_read_query(char *query, const address_form *form, lfb_redis_options *options,
                               char **name)
{
  while (query != NULL) {
    char *next = address_cut(query, '&');
    if (!address_read_term(query, form, options, name))
      return false;
    query = next;
  }
  return true;
}

/* Reads the path of which `rest` is what follows the first slash, and puts the slash back. */
static bool address_read_path(char *rest, lfb_redis_options *options)
{
  rest[-1] = '/';
  options->host = rest - 1;
  return *rest != '\0' && address_decode(rest);
}

/* Reads what is between login and slash, and after it `rest` if that is a path. */
static bool address_read_where(char *server, char *rest, const address_form *form,
                               lfb_redis_options *options)
{
  if (form->path)
    return *server == '\0' && rest != NULL && address_read_path(rest, options);
  return address_read_server(server, &options->host, &options->port);
}

/* Reads everything after the scheme.  `text` is cut into pieces, which become the address's
 * texts. */
static bool address_read(char *text, const address_form *form, lfb_redis_options *options,
                         const char **name)
{
  char *rest = address_cut(text, '/'); /* the first: no password contains one */
  char *at = strrchr(text, '@');       /* the last: a password may contain one */
  char *server = at == NULL ? text : at + 1;
  char *query = address_cut(rest == NULL ? server : rest, '?');
  char *found = form->path ? NULL : rest;

  if (!address_read_query(query, form, options, &found) ||
      (found != NULL && !address_decode(found)))
    return false;
  *name = found == NULL ? "" : found;
  if (at != NULL) {
    *at = '\0';
    if (!address_read_login(text, options))
      return false;
  }
  return address_read_where(server, rest, form, options);
}

/* Where the copy `to` has a text of `from`. */
static const char *address_moved(const char *text, const char *from, const char *to)
{
  return text == NULL ? NULL : to + (text - from);
}

lfb_status lfb_redis_parse_url(const char *url, lfb_redis_address *address)
{
  const address_form *form = address_form_of(url);
  char text[LFB_REDIS_URL_SIZE + 1];
  const char *name;

  if (form == NULL || strlen(url) > LFB_REDIS_URL_SIZE)
    return LFB_ERROR_REDIS_ADDRESS;
  const char *rest = url + strlen(form->scheme);
  lfb_redis_options options = {.tls = form->tls};
  memset(text, 0, sizeof text);
  memcpy(text, rest, strlen(rest) + 1);
  if (!address_read(text, form, &options, &name))
    return LFB_ERROR_REDIS_ADDRESS;
  memcpy(address->text, text, sizeof text);
  options.host = address_moved(options.host, text, address->text);
  options.user = address_moved(options.user, text, address->text);
  options.password = address_moved(options.password, text, address->text);
  memset(address->reserved, 0, sizeof address->reserved);
  address->options = options;
  address->name = *name == '\0' ? "" : address_moved(name, text, address->text);
  return LFB_OK;
}
