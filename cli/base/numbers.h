/*
 * numbers.h - reads numbers as people type them.
 */
#ifndef CLI_BASE_NUMBERS_H
#define CLI_BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum numbers_result { NUMBERS_OK, NUMBERS_MALFORMED, NUMBERS_TOO_LARGE, NUMBERS_NOT_WHOLE };

/*
 * Reads a whole number: 10000000, 10,000,000, 1e7, 2.5e3, 10M, 1.5G.  The letters k, K, M,
 * G and T are decimal thousands.  Exact up to 2^64 - 1; `*value` on success only.
 */
enum numbers_result numbers_whole(const char *text, uint64_t *value);

/* Reads a probability: 0.01, 0,01, 1e-4, or 1%, which is exactly the double 0.01.  As
 * numbers_real(): the value may be below 0 or above 1. */
bool numbers_probability(const char *text, double *value);

/* Reads any real number, also nan and inf.  `*value` on success only. */
bool numbers_real(const char *text, double *value);

/* Reads the bytes that 2 * `size` hexadecimal digits stand for. */
bool numbers_hex(const char *digits, size_t size, void *bytes);

#endif
