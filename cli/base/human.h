/*
 * human.h - formats numbers for people.
 *
 * Each function returns a small text by value: human_count(n).text is valid until the end of the
 * full expression, so it can be an argument of printf.
 */
#ifndef CLI_BASE_HUMAN_H
#define CLI_BASE_HUMAN_H

#include <stdint.h>

struct human {
  char text[48];
};

struct human human_count(uint64_t count);            /* 10,000,000             */
struct human human_short(double value);              /* 10M, 4.52M, 812        */
struct human human_bytes(uint64_t bytes);            /* 22.85 MiB              */
struct human human_seconds(double seconds);          /* 1.24 s, 35 ms          */
struct human human_probability(double probability);  /* 0.0001, 1.2e-09        */

#endif
