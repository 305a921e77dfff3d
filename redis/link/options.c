/* options.c - copies texts. */
#include "redis/link/options.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"

/* The place of each text in the options. */
enum { OPTIONS_TEXTS = 10 };

static const char **options_text(lfb_redis_options *options, int i)
{
  const char **const texts[OPTIONS_TEXTS] = {
      &options->host,        &options->user,    &options->password, &options->ca_file,
      &options->certificate, &options->private_key, &options->server_name,
      &options->master,      &options->sentinel_user, &options->sentinel_password,
  };
  return texts[i];
}

/* Copies a text, or NULL, to `*to`; false: no memory. */
static bool options_copy_text(const char *text, const char **to)
{
  const size_t size = text == NULL ? 0 : strlen(text) + 1;
  char *copy = text == NULL ? NULL : malloc(size);

  if (copy != NULL)
    memcpy(copy, text, size);
  *to = copy;
  return text == NULL || copy != NULL;
}

lfb_status lfb_options_copy(const lfb_redis_options *from, lfb_redis_options *to)
{
  lfb_redis_options own = *from;
  bool done = true;

  if (LFB_RESERVED(from) != LFB_OK)
    return LFB_ERROR_RESERVED;
  for (int i = 0; i < OPTIONS_TEXTS; i++) {
    const char **text = options_text(&own, i);
    done &= options_copy_text(*text, text);
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
