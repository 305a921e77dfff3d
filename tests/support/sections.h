// sections.h - enters and leaves sections (atomic/threads/sections.h) from C++, in which ck_epoch.h
// does not compile.
#pragma once

extern "C" {
void SectionEnter(void);
void SectionLeave(void);
}
