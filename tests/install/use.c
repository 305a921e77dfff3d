/* use.c - a C11 program outside the tree that uses an installed lfbloom. */
#include <lfbloom/filter.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
  const lfb_config config = {.expected_insertions = 1000, .fpp = 0.001};
  lfb_filter *filter;

  const lfb_status status = lfb_filter_create(&config, &filter);
  if (status != LFB_OK) {
    fprintf(stderr, "%s\n", lfb_status_text(status));
    return 1;
  }
  const bool new_to_it = lfb_filter_put(filter, "apple", strlen("apple"));
  const bool found = lfb_filter_might_contain(filter, "apple", strlen("apple"));
  const bool other = lfb_filter_might_contain(filter, "pear", strlen("pear"));
  lfb_filter_free(filter);
  printf("C: new %d, apple %d, pear %d\n", new_to_it, found, other);
  return !(new_to_it && found && !other);
}
