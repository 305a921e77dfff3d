/* status.c - the text of each status. */
#include <lfbloom/status.h>

const char *lfb_status_text(lfb_status status)
{
#define STATUS_CASE(name, number, text) \
  case name:                            \
    return text;
  switch (status) {
    LFB_STATUS_LIST(STATUS_CASE)
  case LFB_STATUS_MAX_:
    break;
  }
#undef STATUS_CASE
  return "unknown status";
}
