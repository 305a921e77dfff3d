/* tags_pauses.h - included before counting_tags.c: a pause before each access to a word of tags,
 * for history_tags_test, which defines it. Other tests have none. */
#ifndef LFB_TESTS_TAGS_PAUSES_H
#define LFB_TESTS_TAGS_PAUSES_H

#include "bloom/counting/counting.h"

void tags_pause(void) __attribute__((weak));

#define TAGS_PAUSE() (tags_pause == NULL ? (void)0 : tags_pause())
#define lfb_word_get_ordered(word) (TAGS_PAUSE(), lfb_word_get_ordered(word))
#define lfb_cas_u64(...) (TAGS_PAUSE(), lfb_cas_u64(__VA_ARGS__))
#ifndef LFB_THREAD_SANITIZER
#define LFB_THREAD_SANITIZER /* a unit is two loads, with a pause before each */
#endif

#endif
