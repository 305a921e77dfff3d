/* type.h - the module's type of values, as Redis sees it. */
#ifndef LFB_REDIS_MODULE_TYPE_H
#define LFB_REDIS_MODULE_TYPE_H

#include "redis/module/api.h"
#include "redis/module/value.h"

/* The type; set by lfb_type_register(). */
extern lfb_redis_type *lfb_module_type;

/* Registers the type.  Returns false if Redis refuses it. */
bool lfb_type_register(lfb_redis_context *context);

/* Lets a timer do the steps of what lfb_later_put_all() and lfb_later_copy() have begun. */
void lfb_module_continue(void);

#endif
