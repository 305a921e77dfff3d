/*
 * memory.h - the memory that this process may use.
 */
#ifndef CLI_BASE_MEMORY_H
#define CLI_BASE_MEMORY_H

#include <stdint.h>

/* The least of the machine's memory, the limits of the process' control groups (versions 1 and 2),
 * and the limit on its address space.  `root` is where /proc and /sys are: "" but in
 * tests. */
uint64_t memory_usable(const char *root);

#endif
