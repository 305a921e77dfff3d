/* window_hazards.h - included before each source of the window filter, and of claims, for
 * window_race_test: a hook at every place where a thread can be stopped. */
#ifndef LFB_TESTS_WINDOW_HAZARDS_H
#define LFB_TESTS_WINDOW_HAZARDS_H

#ifdef __cplusplus
extern "C" {
#endif

void window_hazard(void);
void claim_hazard(void);
#define LFB_WINDOW_HAZARD window_hazard
#define LFB_CLAIM_HAZARD claim_hazard

#ifdef __cplusplus
}
#endif

#endif
