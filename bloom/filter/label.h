/*
 * label.h - a label in its field: at most LFB_LABEL_SIZE bytes, then only NUL bytes.
 */
#ifndef LFB_BLOOM_LABEL_H
#define LFB_BLOOM_LABEL_H

#include <lfbloom/filter.h>

/* Sets a label; `label` may point into `field`.  Fails: LFB_ERROR_BAD_LABEL. */
lfb_status lfb_label_set(char field[LFB_LABEL_SIZE + 1], const char *label);

/* Reads a field of arbitrary bytes.  Fails: LFB_ERROR_BAD_LABEL. */
lfb_status lfb_label_read(char label[LFB_LABEL_SIZE + 1],
                          const unsigned char field[LFB_LABEL_SIZE + 1]);

#endif
