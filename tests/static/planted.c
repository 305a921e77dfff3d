/*
 * planted.c - two bugs that the analysers must find, or that they find nothing means
 * nothing: read by them alone.
 */
#include <stdlib.h>

int planted(int count);

/* The bug: an element that nobody has written is read, and the memory is lost. */
int planted(int count)
{
  int *numbers = malloc(4 * sizeof *numbers);

  if (numbers == NULL || count > 4)
    return 0;
  return numbers[0] + 10 / (count - count);
}
