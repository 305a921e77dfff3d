/* use_redis.c - a C11 program outside the tree that uses an installed lfbloom_redis. */
#include <lfbloom/redis.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
  lfb_redis_address address;

  const lfb_status status = lfb_redis_parse_url("redis://:secret@localhost:7000/seen", &address);
  printf("Redis: %s, name %s\n", lfb_status_text(status), address.name);
  return !(status == LFB_OK && strcmp(address.name, "seen") == 0);
}
