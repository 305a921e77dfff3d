/*
 * report.h - the guard's lines on standard error.
 */
#ifndef GUARD_REPORT_H
#define GUARD_REPORT_H

/* Prints "guard: ..." as one line.  Any thread. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
