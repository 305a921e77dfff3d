/* version.c - the version of this library. */
#include <lfbloom/version.h>

#define VERSION_TEXT(number) #number
#define VERSION_DOTTED(major, minor, patch) \
  VERSION_TEXT(major) "." VERSION_TEXT(minor) "." VERSION_TEXT(patch)

unsigned lfb_version(void)
{
  return LFB_VERSION;
}

const char *lfb_version_text(void)
{
  return VERSION_DOTTED(LFB_VERSION_MAJOR, LFB_VERSION_MINOR, LFB_VERSION_PATCH);
}
