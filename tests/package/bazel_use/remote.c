/* remote.c - a C program of another workspace, linked with the filter on Redis. */
#include <lfbloom/redis.h>
#include <stdio.h>

int main(void)
{
  /* no server listens there */
  const lfb_redis_options nowhere = {.port = 1, .retries = UINT32_MAX};
  const lfb_config config = {.expected_insertions = 1000, .fpp = 0.01};
  lfb_redis *filter;
  const lfb_status status = lfb_redis_create(&nowhere, "seen", &config, 0, &filter);

  printf("%s\n", lfb_status_text(status));
  return status != LFB_ERROR_REDIS_CONNECT;
}
