/* settings.c - reads and changes the module's settings. */
#include "redis/module/settings.h"

#include <lfbloom/filter_more.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

lfb_settings lfb_module_settings = {
    .hash = LFB_HASH_DEFAULT,
    .error = 0.01,
    .capacity = 100,
    .expansion = 2,
};

bool lfb_word_is(const lfb_redis_string *word, const char *text)
{
  size_t size;
  const char *bytes = lfb_redis.StringPtrLen(word, &size);

  return size == strlen(text) && strncasecmp(bytes, text, size) == 0;
}

/* ---- texts ------------------------------------------------------------------------ */

enum { TEXT_SIZE = 64 };

static lfb_redis_string *settings_text(const char *text)
{
  return lfb_redis.CreateString(NULL, text, strlen(text));
}

static bool hash_set(const char *text)
{
  if (strcasecmp(text, "default") == 0) {
    lfb_module_settings.hash = LFB_HASH_DEFAULT;
    return true;
  }
  return lfb_hash_from_name(text, &lfb_module_settings.hash) == LFB_OK;
}

static bool error_set(const char *text)
{
  char *end;
  const double error = strtod(text, &end);

  if (end == text || *end != '\0' || !(error > 0 && error <= LFB_ERROR_MOST))
    return false;
  lfb_module_settings.error = error;
  return true;
}

static lfb_redis_string *text_get(const char *name, void *own)
{
  const lfb_hash_id hash = lfb_module_settings.hash;

  (void)name;
  if (own != &lfb_module_settings.error)
    return settings_text(hash == LFB_HASH_DEFAULT ? "default" : lfb_hash_name(hash));
  char text[TEXT_SIZE];
  const int size = snprintf(text, sizeof text, "%.17g", lfb_module_settings.error);
  return lfb_redis.CreateString(NULL, text, (size_t)size);
}

/* Sets a setting from a text.  Returns false if it is not one of its values. */
static bool text_take(void *own, const lfb_redis_string *value)
{
  char text[TEXT_SIZE];
  size_t size;
  const char *bytes = lfb_redis.StringPtrLen(value, &size);

  if (size >= sizeof text)
    return false;
  memcpy(text, bytes, size);
  text[size] = '\0';
  return own == &lfb_module_settings.error ? error_set(text) : hash_set(text);
}

static int text_set(const char *name, lfb_redis_string *value, void *own, lfb_redis_string **error)
{
  (void)name;
  if (text_take(own, value))
    return REDIS_OK;
  *error = settings_text(own == &lfb_module_settings.error
                             ? "the error must be above 0 and at most 0.25"
                             : "the hash must be default, aes, siphash13 or xxh3");
  return REDIS_ERROR;
}

/* ---- numbers ------------------------------------------------------------------------- */

static long long number_get(const char *name, void *own)
{
  (void)name;
  return *(long long *)own;
}

static int number_set(const char *name, long long value, void *own, lfb_redis_string **error)
{
  (void)name;
  (void)error;
  *(long long *)own = value;
  return REDIS_OK;
}

typedef struct number_setting {
  const char *name;
  long long *value, least, most;
  unsigned flags;
} number_setting;

static const number_setting settings_numbers[] = {
    {"capacity", &lfb_module_settings.capacity, 1, LFB_CAPACITY_MOST, REDIS_CONFIG_DEFAULT},
    {"expansion", &lfb_module_settings.expansion, 0, LFB_EXPANSION_MOST, REDIS_CONFIG_DEFAULT},
    {"max-bytes", &lfb_module_settings.max_bytes, 0, INT64_MAX, REDIS_CONFIG_MEMORY},
};
enum { NUMBERS = sizeof settings_numbers / sizeof *settings_numbers };

/* ---- all --------------------------------------------------------------------------------- */

/* Whether a word is a setting's name, or a name that RedisBloom has for it. */
static bool name_is(const lfb_redis_string *word, const char *name)
{
  static const struct {
    const char *theirs, *ours;
  } rows[] = {
      {"error_rate", "error"},
      {"bf-error-rate", "error"},
      {"initial_size", "capacity"},
      {"bf-initial-size", "capacity"},
      {"bf-expansion-factor", "expansion"},
  };
  bool is = lfb_word_is(word, name);

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    is |= strcmp(rows[i].ours, name) == 0 && lfb_word_is(word, rows[i].theirs);
  return is;
}

static bool argument_take(const lfb_redis_string *name, const lfb_redis_string *value)
{
  long long number;

  if (name_is(name, "hash"))
    return text_take(&lfb_module_settings.hash, value);
  if (name_is(name, "error"))
    return text_take(&lfb_module_settings.error, value);
  for (size_t i = 0; i < NUMBERS; i++) {
    const number_setting *setting = &settings_numbers[i];
    if (!name_is(name, setting->name))
      continue;
    if (lfb_redis.StringToLongLong(value, &number) != REDIS_OK || number < setting->least ||
        number > setting->most)
      return false;
    *setting->value = number;
    return true;
  }
  return false;
}

static int settings_refuse(lfb_redis_context *context, const lfb_redis_string *name)
{
  size_t size;
  const char *text = lfb_redis.StringPtrLen(name, &size);

  lfb_redis.Log(context, "warning",
                "lfbloom: argument '%.*s' is unknown, or its value is missing or out of range; known "
                "are hash, error, capacity, expansion and max-bytes, each with a value",
                (int)(size < 64 ? size : 64), text);
  return REDIS_ERROR;
}

/* Registers the settings.  Their defaults are what the arguments have set. */
static int settings_register(lfb_redis_context *context)
{
  char error[TEXT_SIZE];
  const lfb_hash_id hash = lfb_module_settings.hash;
  int result = REDIS_OK;

  if (lfb_redis.RegisterStringConfig == NULL || lfb_redis.RegisterNumericConfig == NULL ||
      lfb_redis.LoadConfigs == NULL)
    return REDIS_OK;
  (void)snprintf(error, sizeof error, "%.17g", lfb_module_settings.error);
  result |= lfb_redis.RegisterStringConfig(
      context, "hash", hash == LFB_HASH_DEFAULT ? "default" : lfb_hash_name(hash),
      REDIS_CONFIG_DEFAULT, text_get, text_set, NULL, &lfb_module_settings.hash);
  result |= lfb_redis.RegisterStringConfig(context, "error", error, REDIS_CONFIG_DEFAULT, text_get,
                                           text_set, NULL, &lfb_module_settings.error);
  for (size_t i = 0; i < NUMBERS; i++) {
    const number_setting *setting = &settings_numbers[i];
    result |= lfb_redis.RegisterNumericConfig(context, setting->name, *setting->value,
                                              setting->flags, setting->least, setting->most,
                                              number_get, number_set, NULL, setting->value);
  }
  return result == REDIS_OK ? lfb_redis.LoadConfigs(context) : REDIS_ERROR;
}

int lfb_settings_begin(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  for (int i = 0; i < count; i += 2)
    if (i + 1 == count || !argument_take(words[i], words[i + 1]))
      return settings_refuse(context, words[i]);
  return settings_register(context);
}
