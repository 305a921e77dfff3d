/* use_redis.c - a C11 program outside the tree that uses an installed lfbloom_redis. */
#include <lfbloom/redis.h>
#include <lfbloom/redis_source.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
  lfb_redis_address address;

  const lfb_status status = lfb_redis_parse_url("redis://:secret@localhost:7000/seen", &address);
  printf("Redis: %s, name %s\n", lfb_status_text(status), address.name);
  if (status != LFB_OK || strcmp(address.name, "seen") != 0)
    return 1;

  /* No server listens there, so it is tried once only. */
  const lfb_redis_options nowhere = {.port = 1, .retries = UINT32_MAX};
  const lfb_config config = {.expected_insertions = 1000, .fpp = 0.01};
  lfb_redis *filter;
  if (lfb_redis_create(&nowhere, "seen", &config, 0, &filter) != LFB_ERROR_REDIS_CONNECT)
    return 1;
  lfb_redis_source *source;
  uint64_t version;
  if (lfb_redis_source_create(&nowhere, "seen", NULL, &source) != LFB_OK)
    return 1;
  const lfb_source functions = lfb_redis_source_functions(source);
  const bool failed = functions.version(functions.self, &version) == LFB_ERROR_REDIS_CONNECT;
  lfb_redis_source_free(source);
  return !failed;
}
