/* seen.c - a program that uses the installed filter. */
#include <lfbloom/filter.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
  const lfb_config config = {.expected_insertions = 1000, .fpp = 0.001};
  lfb_filter *seen;
  const lfb_status status = lfb_filter_create(&config, &seen);

  if (status != LFB_OK) {
    fprintf(stderr, "%s\n", lfb_status_text(status));
    return 1;
  }
  lfb_filter_put(seen, "apple", strlen("apple"));
  const bool apple = lfb_filter_might_contain(seen, "apple", strlen("apple"));
  const bool pear = lfb_filter_might_contain(seen, "pear", strlen("pear"));
  lfb_filter_free(seen);
  printf("apple %d, pear %d\n", apple, pear);
  return !(apple && !pear);
}
