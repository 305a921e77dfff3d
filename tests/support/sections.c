/* sections.c - tests/support/sections.h. */
#include "atomic/threads/sections.h"

void SectionEnter(void);
void SectionLeave(void);

void SectionEnter(void)
{
  (void)lfb_section_enter();
}

void SectionLeave(void)
{
  lfb_section_leave(lfb_section_mine);
}
