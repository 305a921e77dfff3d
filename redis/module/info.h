/* info.h - the module's section of INFO. */
#ifndef LFB_REDIS_MODULE_INFO_H
#define LFB_REDIS_MODULE_INFO_H

#include "redis/module/api.h"

/* Registers the section.  Returns false if Redis refuses it. */
bool lfb_info_register(lfb_redis_context *context);

#endif
