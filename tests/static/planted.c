/*
 * planted.c - two bugs that the analysers must find; otherwise an empty report would mean
 * nothing. Only the analysers read this file.
 */
#include <stdlib.h>

int planted(int count);

/* The bug: an element that was never written is read, and the memory is leaked. */
int planted(int count)
{
  int *numbers = malloc(4 * sizeof *numbers);

  if (numbers == NULL || count > 4)
    return 0;
  return numbers[0] + 10 / (count - count);
}
