/*
 * settings.h - the module's settings: arguments of --loadmodule, and CONFIG SET lfbloom.NAME, or
 * CONFIG SET with a name of RedisBloom's.
 */
#ifndef LFB_REDIS_MODULE_SETTINGS_H
#define LFB_REDIS_MODULE_SETTINGS_H

#include <lfbloom/filter.h>

#include "redis/module/api.h"

typedef struct lfb_settings {
  lfb_hash_id hash;    /* of new filters                                      */
  double error;        /* of filters that BF.ADD, BF.MADD and BF.INSERT make  */
  long long capacity;  /* as well                                             */
  long long expansion; /* as well; 0: they do not scale                       */
  long long max_bytes; /* the most bytes of one key's filters; 0: no limit    */
} lfb_settings;

/* Ranges; the errors of BF.RESERVE state them. */
#define LFB_ERROR_MOST 0.25 /* a higher error counts as this one */
#define LFB_CAPACITY_MOST (1LL << 40)
enum { LFB_EXPANSION_MOST = 32768 };

/* The settings now. */
extern lfb_settings lfb_module_settings;

/* Takes the arguments of --loadmodule, NAME VALUE pairs, and registers the settings with a server
 * that has CONFIG for modules.  Returns REDIS_OK, or logs what is wrong. */
int lfb_settings_begin(lfb_redis_context *context, lfb_redis_string **words, int count);

/* Compares a word with a text, whatever the case of its letters. */
bool lfb_word_is(const lfb_redis_string *word, const char *text);

#endif
