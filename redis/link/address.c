/*
 * address.c - reads redis://[[user]:password@]host[:port][/name].
 */
#include <lfbloom/redis.h>
#include <string.h>

#include "redis/link/wire.h"

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
static bool address_read_place(char *text, lfb_redis_options *options)
{
  char *port;

  options->host = text;
  if (*text == '[') {
    options->host = text + 1;
    char *behind = address_cut(text, ']');
    if (behind == NULL || (*behind != '\0' && *behind != ':'))
      return false;
    port = *behind == ':' ? behind + 1 : NULL;
  } else {
    port = address_cut(text, ':');
  }
  return *options->host != '\0' && (port == NULL || address_read_port(port, &options->port));
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

/* Reads everything after the scheme.  `text` is cut into pieces, which become the address's
 * texts. */
static bool address_read(char *text, lfb_redis_options *options, const char **name)
{
  char *name_at = address_cut(text, '/');
  char *at = strrchr(text, '@'); /* the last: a password may contain one */

  *name = "";
  if (name_at != NULL) {
    if (!address_decode(name_at))
      return false;
    *name = name_at;
  }
  if (at == NULL)
    return address_read_place(text, options);
  *at = '\0';
  return address_read_login(text, options) && address_read_place(at + 1, options);
}

/* The place in the copy `to` of a text in `from`. */
static const char *address_moved(const char *text, const char *from, const char *to)
{
  return text == NULL ? NULL : to + (text - from);
}

lfb_status lfb_redis_parse_url(const char *url, lfb_redis_address *address)
{
  static const char plain[] = "redis://", secure[] = "rediss://";
  const bool tls = strncmp(url, secure, sizeof secure - 1) == 0;
  const size_t scheme = tls ? sizeof secure - 1 : sizeof plain - 1;
  char text[LFB_REDIS_URL_SIZE + 1];
  lfb_redis_options options = {.tls = tls};
  const char *name;

  if ((!tls && strncmp(url, plain, scheme) != 0) || strlen(url) > LFB_REDIS_URL_SIZE)
    return LFB_ERROR_REDIS_ADDRESS;
  memset(text, 0, sizeof text);
  memcpy(text, url + scheme, strlen(url + scheme));
  if (!address_read(text, &options, &name))
    return LFB_ERROR_REDIS_ADDRESS;
  memcpy(address->text, text, sizeof text);
  options.host = address_moved(options.host, text, address->text);
  options.user = address_moved(options.user, text, address->text);
  options.password = address_moved(options.password, text, address->text);
  address->options = options;
  address->name = *name == '\0' ? "" : address_moved(name, text, address->text);
  return LFB_OK;
}
