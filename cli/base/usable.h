/*
 * usable.h - the memory and the cores that this process may use.
 */
#ifndef CLI_BASE_USABLE_H
#define CLI_BASE_USABLE_H

#include <stdint.h>

/* `root` is where /proc and /sys are: "" but in tests. */

/* The least of the machine's memory, the limits of the process' control groups (versions 1 and 2),
 * and the limit on its address space. */
uint64_t usable_memory(const char *root);

/* The least of the cores that the process may run on, the quotas of its control groups, rounded up,
 * and $SLURM_CPUS_PER_TASK; at least 1. */
uint64_t usable_cores(const char *root);

#endif
