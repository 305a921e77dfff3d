/*
 * versions.h - what a follower does to the versions that it fills, besides <lfbloom/versions.h>.
 */
#ifndef LFB_BLOOM_VERSIONS_H
#define LFB_BLOOM_VERSIONS_H

#include <lfbloom/versions.h>

LFB_EXTERN_C_BEGIN

/* Sets lfb_versions_figures.failed_polls. */
void lfb_versions_set_failed_polls(lfb_versions *versions, uint64_t count);

/*
 * Turns on the bits of a delta (lfbloom/delta.h): in the current version, in the version that is
 * being filled, and in the previous one if it is of the same size, strategy and hash.  Lock-free.
 *
 * Fails  as lfb_delta_apply().  The current version may have the bits if only the version that is
 *        being filled is of another size, strategy or hash.
 */
lfb_status lfb_versions_apply_delta(lfb_versions *versions, const void *delta, size_t size);

LFB_EXTERN_C_END

#endif
