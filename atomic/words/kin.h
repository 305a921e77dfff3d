/*
 * kin.h - marks what liblfbloom exports to the other libraries of this project only
 * (liblfbloom_redis), and only to those of the same version.
 *
 * No installed header declares any of it.
 */
#ifndef LFB_ATOMIC_KIN_H
#define LFB_ATOMIC_KIN_H

#include <lfbloom/status.h>

#define LFB_KIN LFB_API

#endif
