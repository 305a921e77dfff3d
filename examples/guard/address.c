/* address.c - see address.h. */
#include "examples/guard/address.h"

#include <stdlib.h>

lfb_status address_read(const char *url, lfb_redis_address *address)
{
  const char *password = getenv("LFBLOOM_REDIS_PASSWORD");
  const lfb_status status = lfb_redis_parse_url(url, address);

  if (status == LFB_OK && address->options.password == NULL && password != NULL &&
      *password != '\0')
    address->options.password = password;
  return status;
}
