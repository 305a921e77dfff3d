/* magic.c - the table of magic numbers. */
#include "bloom/files/magic.h"

#include <string.h>

static const unsigned char magics[LFB_MAGIC_NONE][LFB_MAGIC_SIZE] = {
    [LFB_MAGIC_NATIVE] = {'L', 'F', 'B', 'L', 'O', 'O', 'M', '\n'},
    [LFB_MAGIC_MAPPED] = {'L', 'F', 'B', 'M', 'A', 'P', 'D', '\n'},
    [LFB_MAGIC_COUNTING] = {'L', 'F', 'B', 'C', 'N', 'T', 'S', '\n'},
    [LFB_MAGIC_GROWING] = {'L', 'F', 'B', 'G', 'R', 'O', 'W', '\n'},
    [LFB_MAGIC_GROWING_MAPPED] = {'L', 'F', 'B', 'G', 'M', 'A', 'P', '\n'},
};

lfb_magic lfb_magic_begun(const unsigned char *head)
{
  int magic = 0;

  while (magic < (int)LFB_MAGIC_NONE && memcmp(head, magics[magic], LFB_FORM_HEAD) != 0)
    magic++;
  return (lfb_magic)magic;
}

bool lfb_magic_is(const unsigned char *bytes, lfb_magic magic)
{
  return memcmp(bytes, magics[magic], LFB_MAGIC_SIZE) == 0;
}

const unsigned char *lfb_magic_bytes(lfb_magic magic)
{
  return magics[magic];
}
