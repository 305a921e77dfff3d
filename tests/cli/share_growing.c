/* share_growing.c PATH - a program that makes a shared growing filter with the texts 0 to 4999. */
#include <lfbloom/growing_mapped.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  const lfb_config config = {.expected_insertions = 1024, .fpp = 0.01, .seed = 1};
  lfb_growing *growing;
  char text[16];

  if (argc != 2 || lfb_growing_mapped_create(argv[1], &config, &growing) != LFB_OK)
    return 1;
  for (int i = 0; i < 5000; i++)
    (void)lfb_growing_put(growing, text, (size_t)snprintf(text, sizeof text, "%d", i));
  lfb_growing_free(growing);
  return 0;
}
