/* type.h - the module's type of values, as Redis sees it. */
#ifndef LFB_REDIS_MODULE_TYPE_H
#define LFB_REDIS_MODULE_TYPE_H

#include "redis/module/api.h"
#include "redis/module/value.h"

/* The type; set by lfb_type_register(). */
extern lfb_redis_type *lfb_module_type;

/* Registers the type.  Returns false if Redis refuses it. */
bool lfb_type_register(lfb_redis_context *context);

#endif
