/*
 * kin.h - what liblfbloom shows to its kin: to the libraries of this project that stand on
 * it (liblfbloom_redis), of the very same version, and to nobody else.
 *
 * No header that is installed declares any of it.
 */
#ifndef LFB_ATOMIC_KIN_H
#define LFB_ATOMIC_KIN_H

#include <lfbloom/status.h>

#define LFB_KIN LFB_API

#endif
