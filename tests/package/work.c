/*
 * work.c - puts and queries for counting instructions: work PUTS QUERIES
 *
 * Built once with the library and once with the amalgamation. The cost of one operation is the
 * difference of two runs divided by the difference of their numbers.
 */
#ifdef AMALGAMATED
#include "lfbloom.h"
#else
#include <lfbloom/filter.h>
#endif
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
  const lfb_config config = {.expected_insertions = 100000, .fpp = 0.01, .seed = 7};
  unsigned long found = 0;
  lfb_filter *filter;

  if (count != 3 || lfb_filter_create(&config, &filter) != LFB_OK)
    return 2;
  const unsigned long puts = strtoul(arguments[1], NULL, 10);
  const unsigned long queries = strtoul(arguments[2], NULL, 10);
  char key[] = "a key of some thirty-two bytes..";
  for (unsigned long i = 0; i < puts; i++) {
    memcpy(key, &i, sizeof i);
    (void)lfb_filter_put(filter, key, sizeof key);
  }
  for (unsigned long i = 0; i < queries; i++) {
    memcpy(key, &i, sizeof i);
    found += lfb_filter_might_contain(filter, key, sizeof key);
  }
  lfb_filter_free(filter);
  return found > queries;
}
