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

/* The text of a setting that is one; `text` may hold it. */
static const char *text_of(const void *own, char text[TEXT_SIZE])
{
  const lfb_hash_id hash = lfb_module_settings.hash;

  (void)snprintf(text, TEXT_SIZE, "%.17g", lfb_module_settings.error);
  return own == &lfb_module_settings.error ? text
         : hash == LFB_HASH_DEFAULT        ? "default"
                                           : lfb_hash_name(hash);
}

static lfb_redis_string *text_get(const char *name, void *own)
{
  char text[TEXT_SIZE];

  (void)name;
  return settings_text(text_of(own, text));
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

/* ---- all --------------------------------------------------------------------------------- */

static const struct setting {
  const char *name;
  void *own;             /* in lfb_module_settings                   */
  long long least, most; /* of a number; most is 0: it has no number */
  unsigned flags;
} settings[] = {
    {"hash", &lfb_module_settings.hash, 0, 0, REDIS_CONFIG_DEFAULT},
    {"error", &lfb_module_settings.error, 0, 0, REDIS_CONFIG_DEFAULT},
    {"capacity", &lfb_module_settings.capacity, 1, LFB_CAPACITY_MOST, REDIS_CONFIG_DEFAULT},
    {"expansion", &lfb_module_settings.expansion, 0, LFB_EXPANSION_MOST, REDIS_CONFIG_DEFAULT},
    {"max-bytes", &lfb_module_settings.max_bytes, 0, INT64_MAX, REDIS_CONFIG_MEMORY},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* RedisBloom's names of settings. */
static const struct settings_alias {
  const char *name;
  const void *own;
  bool config; /* of CONFIG, too: the others are only arguments */
} settings_aliases[] = {
    {"error_rate", &lfb_module_settings.error, false},
    {"bf-error-rate", &lfb_module_settings.error, true},
    {"initial_size", &lfb_module_settings.capacity, false},
    {"bf-initial-size", &lfb_module_settings.capacity, true},
    {"bf-expansion-factor", &lfb_module_settings.expansion, true},
};
enum { ALIASES = sizeof settings_aliases / sizeof *settings_aliases };

/* Whether a word is a setting's name, or a name that RedisBloom has for it. */
static bool name_is(const lfb_redis_string *word, const struct setting *setting)
{
  bool is = lfb_word_is(word, setting->name);

  for (size_t i = 0; i < ALIASES; i++)
    is |= settings_aliases[i].own == setting->own && lfb_word_is(word, settings_aliases[i].name);
  return is;
}

static bool argument_take(const lfb_redis_string *name, const lfb_redis_string *value)
{
  const struct setting *setting = settings;
  long long number;

  while (setting < settings + SETTINGS && !name_is(name, setting))
    setting++;
  if (setting == settings + SETTINGS)
    return false;
  if (setting->most == 0)
    return text_take(setting->own, value);
  if (lfb_redis.StringToLongLong(value, &number) != REDIS_OK || number < setting->least ||
      number > setting->most)
    return false;
  *(long long *)setting->own = number;
  return true;
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
static int setting_register(lfb_redis_context *context, const struct setting *setting,
                            const char *name, unsigned flags)
{
  char text[TEXT_SIZE];

  flags |= setting->flags;
  return setting->most == 0
             ? lfb_redis.RegisterStringConfig(context, name, text_of(setting->own, text), flags,
                                              text_get, text_set, NULL, setting->own)
             : lfb_redis.RegisterNumericConfig(context, name, *(const long long *)setting->own,
                                               flags, setting->least, setting->most, number_get,
                                               number_set, NULL, setting->own);
}

/* Registers a setting under its name, and under RedisBloom's.  Redis before 8.0, and Valkey, put
 * the module's name before each: they lack the flag, which came with LoadDefaultConfigs(), and
 * refuse what they do not know. */
static int setting_register_all(lfb_redis_context *context, const struct setting *setting)
{
  const unsigned flags = lfb_redis.LoadDefaultConfigs == NULL ? REDIS_CONFIG_DEFAULT
                                                              : REDIS_CONFIG_UNPREFIXED;
  int result = setting_register(context, setting, setting->name, REDIS_CONFIG_DEFAULT);

  for (size_t i = 0; i < ALIASES; i++)
    if (settings_aliases[i].config && settings_aliases[i].own == setting->own)
      result |= setting_register(context, setting, settings_aliases[i].name, flags);
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
  for (size_t i = 0; i < SETTINGS; i++)
    result |= setting_register_all(context, &settings[i]);
  return result == REDIS_OK ? settings_load(context) : REDIS_ERROR;
}

int lfb_settings_begin(lfb_redis_context *context, lfb_redis_string **words, int count)
{
  for (int i = 0; i < count; i += 2)
    if (i + 1 == count || !argument_take(words[i], words[i + 1]))
      return settings_refuse(context, words[i]);
  return settings_register(context);
}
