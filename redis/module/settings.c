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

/* While CONFIG goes through all names at the start, each gets its value in the configuration or its
 * default.  A setting has several names: the default of one does not replace the value of
 * another. */
static bool settings_loading;
static lfb_settings settings_defaults;

/* Whether a setting has just got only its default. */
static bool settings_is_default(const void *own, size_t size)
{
  const size_t at = (size_t)((const char *)own - (const char *)&lfb_module_settings);

  return settings_loading && memcmp(own, (const char *)&settings_defaults + at, size) == 0;
}

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

  if (end == text || *end != '\0' || !(error > 0 && error < 1))
    return false;
  lfb_module_settings.error = error < LFB_ERROR_MOST ? error : LFB_ERROR_MOST;
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
  const bool is_error = own == &lfb_module_settings.error;
  const lfb_settings was = lfb_module_settings;

  (void)name;
  if (!text_take(own, value)) {
    *error = settings_text(is_error ? "the error must be above 0 and below 1"
                                    : "the hash must be default, aes, siphash13 or xxh3");
    return REDIS_ERROR;
  }
  if (settings_is_default(own, is_error ? sizeof was.error : sizeof was.hash))
    lfb_module_settings = was;
  return REDIS_OK;
}

/* ---- numbers ------------------------------------------------------------------------- */

static long long number_get(const char *name, void *own)
{
  (void)name;
  return *(long long *)own;
}

static int number_set(const char *name, long long value, void *own, lfb_redis_string **error)
{
  const lfb_settings was = lfb_module_settings;

  (void)name, (void)error;
  *(long long *)own = value;
  if (settings_is_default(own, sizeof value))
    lfb_module_settings = was;
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

/* RedisBloom's names of settings. */
static const struct settings_alias {
  const char *theirs, *ours;
  bool config; /* of CONFIG, too: the others are only arguments */
} settings_aliases[] = {
    {"error_rate", "error", false},
    {"bf-error-rate", "error", true},
    {"initial_size", "capacity", false},
    {"bf-initial-size", "capacity", true},
    {"bf-expansion-factor", "expansion", true},
};
enum { ALIASES = sizeof settings_aliases / sizeof *settings_aliases };

/* Whether a word is a setting's name, or a name that RedisBloom has for it. */
static bool name_is(const lfb_redis_string *word, const char *name)
{
  bool is = lfb_word_is(word, name);

  for (size_t i = 0; i < ALIASES; i++)
    is |= strcmp(settings_aliases[i].ours, name) == 0 &&
          lfb_word_is(word, settings_aliases[i].theirs);
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
                "lfbloom: argument '%.*s' is unknown, or its value is missing or out of range; "
                "known are hash, error, capacity, expansion and max-bytes, each with a value",
                (int)(size < 64 ? size : 64), text);
  return REDIS_ERROR;
}

/* Registers a setting under a name.  Its default is what the arguments have set. */
static int setting_register(lfb_redis_context *context, const char *setting, const char *name,
                            unsigned flags)
{
  const lfb_hash_id hash = lfb_module_settings.hash;
  char error[TEXT_SIZE];

  if (strcmp(setting, "hash") == 0)
    return lfb_redis.RegisterStringConfig(
        context, name, hash == LFB_HASH_DEFAULT ? "default" : lfb_hash_name(hash), flags, text_get,
        text_set, NULL, &lfb_module_settings.hash);
  (void)snprintf(error, sizeof error, "%.17g", lfb_module_settings.error);
  if (strcmp(setting, "error") == 0)
    return lfb_redis.RegisterStringConfig(context, name, error, flags, text_get, text_set, NULL,
                                          &lfb_module_settings.error);
  const number_setting *number = settings_numbers;
  while (strcmp(number->name, setting) != 0)
    number++;
  return lfb_redis.RegisterNumericConfig(context, name, *number->value, number->flags | flags,
                                         number->least, number->most, number_get, number_set, NULL,
                                         number->value);
}

/* Registers RedisBloom's names.  Redis before 8.0, and Valkey, put the module's name before each:
 * they lack the flag, which came with LoadDefaultConfigs(), and refuse what they do not know. */
static int settings_register_aliases(lfb_redis_context *context)
{
  const unsigned flags = lfb_redis.LoadDefaultConfigs == NULL ? REDIS_CONFIG_DEFAULT
                                                              : REDIS_CONFIG_UNPREFIXED;
  int result = REDIS_OK;

  for (size_t i = 0; i < ALIASES; i++)
    if (settings_aliases[i].config)
      result |=
          setting_register(context, settings_aliases[i].ours, settings_aliases[i].theirs, flags);
  return result;
}

static int settings_load(lfb_redis_context *context)
{
  settings_defaults = lfb_module_settings;
  settings_loading = true;
  const int result = lfb_redis.LoadConfigs(context);
  settings_loading = false;
  return result;
}

static int settings_register(lfb_redis_context *context)
{
  int result = REDIS_OK;

  if (lfb_redis.RegisterStringConfig == NULL || lfb_redis.RegisterNumericConfig == NULL ||
      lfb_redis.LoadConfigs == NULL)
    return REDIS_OK;
  result |= setting_register(context, "hash", "hash", REDIS_CONFIG_DEFAULT);
  result |= setting_register(context, "error", "error", REDIS_CONFIG_DEFAULT);
  for (size_t i = 0; i < NUMBERS; i++)
    result |= setting_register(context, settings_numbers[i].name, settings_numbers[i].name,
                               REDIS_CONFIG_DEFAULT);
  result |= settings_register_aliases(context);
  return result == REDIS_OK ? settings_load(context) : REDIS_ERROR;
}

int lfb_settings_begin(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  for (int i = 0; i < count; i += 2)
    if (i + 1 == count || !argument_take(words[i], words[i + 1]))
      return settings_refuse(context, words[i]);
  return settings_register(context);
}
