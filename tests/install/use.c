/* use.c - a C11 program outside the tree that uses an installed lfbloom. */
#include <lfbloom/filter.h>
#include <lfbloom/versions.h>
#include <stdio.h>
#include <string.h>

/* Replaces a filter. */
static int swap(const lfb_config *config)
{
  lfb_versions *versions;
  lfb_filter *building;

  if (lfb_versions_create(config, &versions) != LFB_OK ||
      lfb_versions_begin_rebuild(versions, config, &building) != LFB_OK)
    return 1;
  lfb_versions_put(versions, "fig", strlen("fig"));
  const lfb_status status = lfb_versions_publish(versions, LFB_DROP_PREVIOUS, NULL);
  const bool found = lfb_versions_might_contain(versions, "fig", strlen("fig"));
  lfb_versions_free(versions);
  return !(status == LFB_OK && found);
}

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
  return !(new_to_it && found && !other) || swap(&config);
}
