/* link.c - opens and closes a link. */
#include "redis/link/link.h"

#include <stdlib.h>

lfb_status lfb_link_open_saying(const lfb_redis_options *options, lfb_said *said, lfb_link **link)
{
  lfb_link *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = lfb_nodes_init(&made->nodes, options, &made->said);
  if (status == LFB_OK)
    status = lfb_link_run(made, &(lfb_job){0}); /* connects */
  else
    lfb_said_tell(&made->said, status);
  if (status == LFB_OK) {
    *link = made;
    return LFB_OK;
  }
  if (said != NULL)
    *said = made->said;
  lfb_link_close(made);
  return status;
}

lfb_status lfb_link_open(const lfb_redis_options *options, lfb_link **link)
{
  return lfb_link_open_saying(options, NULL, link);
}

void lfb_link_close(lfb_link *link)
{
  if (link == NULL)
    return;
  lfb_nodes_free(&link->nodes);
  lfb_queue_free(&link->waiting);
  lfb_wire_free(&link->held);
  free(link->polled);
  free(link);
}

void lfb_link_write(lfb_link *link, bool writes)
{
  link->writes = writes;
}
