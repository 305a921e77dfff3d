/*
 * publish.c - publishes a filter of the ids in a table of products, for guards on other machines
 * that follow it.
 */
#define _POSIX_C_SOURCE 200809L /* access */
#include <errno.h>
#include <inttypes.h>
#include <lfbloom/redis_source.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples/guard/address.h"
#include "examples/guard/products.h"
#include "examples/guard/report.h"

enum { PUBLISH_TROUBLE = 2 };

static bool publish_take(void *to, const uint64_t *ids, size_t count)
{
  (void)lfb_filter_put_many_u64(to, ids, count, NULL);
  return true;
}

/* Makes a filter of all ids of the table; NULL after a report. */
static lfb_filter *publish_fill(struct products *products)
{
  lfb_config config = {.fpp = 0.001};
  lfb_filter *filter;

  if (!products_count(products, &config.expected_insertions))
    return NULL;
  const lfb_status status = lfb_filter_create(&config, &filter);
  if (status != LFB_OK) {
    report("%s", lfb_status_text(status));
    return NULL;
  }
  if (products_each(products, publish_take, filter))
    return filter;
  lfb_filter_free(filter);
  return NULL;
}

static int publish_send(const char *url, const lfb_filter *filter)
{
  lfb_redis_address address;
  uint64_t number;

  lfb_status status = address_read(url, &address);
  if (status == LFB_OK)
    status = lfb_redis_publish(&address.options, address.name, filter, NULL, &number);
  if (status == LFB_OK)
    printf("version %" PRIu64 "\n", number);
  else
    report("publish: %s", lfb_status_text(status));
  return status == LFB_OK ? EXIT_SUCCESS : PUBLISH_TROUBLE;
}

/* Opens the table, which must exist.  For a mistyped name, an empty table would be published, and
 * the guards would refuse the ids that they let pass until then. */
static struct products *publish_open(const char *path)
{
  if (access(path, F_OK) == 0)
    return products_open(path, 1, 0);
  report("%s: %s", path, strerror(errno));
  return NULL;
}

int main(int argc, char **argv)
{
  if (argc != 3) {
    report("usage: publish DATABASE redis://[[user]:password@]host[:port]/name");
    return PUBLISH_TROUBLE;
  }
  struct products *products = publish_open(argv[1]);
  lfb_filter *filter = products == NULL ? NULL : publish_fill(products);
  const int status = filter == NULL ? PUBLISH_TROUBLE : publish_send(argv[2], filter);

  lfb_filter_free(filter);
  products_close(products);
  return status;
}
