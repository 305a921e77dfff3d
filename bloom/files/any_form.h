/*
 * any_form.h - what lfbloom/any.h needs of each kind beyond its public functions.
 */
#ifndef LFB_BLOOM_ANY_FORM_H
#define LFB_BLOOM_ANY_FORM_H

#include "bloom/files/forms.h"

LFB_EXTERN_C_BEGIN

/* How filters of a kind are written and read. */
typedef struct lfb_any_form {
  lfb_status (*write)(const void *filter, const lfb_writer *writer); /* as lfb_any_write() */
  lfb_status (*read)(const lfb_reader *reader, void **filter);       /* as lfb_any_read()  */
} lfb_any_form;

/* One in each *_form.c of a kind. */
extern const lfb_any_form lfb_any_form_growing;
extern const lfb_any_form lfb_any_form_counting;
extern const lfb_any_form lfb_any_form_window;

LFB_EXTERN_C_END

#endif
