// share_run.h - a claim in a window of a file, as `lfbloom claim --window 1h --shared PATH` makes
// it: cli/filters/source.h cannot be included in C++.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Returns whether the key was claimed; -1 after a report.
int share_run(const char* path, const char* text);

#ifdef __cplusplus
}
#endif
