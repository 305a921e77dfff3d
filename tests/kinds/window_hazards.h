/* window_hazards.h - included before each source of the window filter for window_race_test: a hook at
 * every place where a thread can be stopped, and tags of 3 bits, which soon come again. */
#ifndef LFB_TESTS_WINDOW_HAZARDS_H
#define LFB_TESTS_WINDOW_HAZARDS_H

#ifdef __cplusplus
extern "C" {
#endif

void window_hazard(void);
#define LFB_WINDOW_HAZARD window_hazard

#define LFB_WINDOW_TAG_BITS 3
#define LFB_WINDOW_SWEEP 2
#define LFB_WINDOW_SLEEP 1

#ifdef __cplusplus
}
#endif

#endif
