/*
 * http.c - see http.h.
 */
#define _GNU_SOURCE /* for open_memstream(), asprintf() and microhttpd.h */
#include "examples/guard/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "examples/guard/report.h"

enum {
  HTTP_BODY_MOST = 65536, /* bytes of a product                                    */
  HTTP_ID_DIGITS = 19,    /* of INT64_MAX                                          */
  HTTP_IDLE_SECONDS = 30, /* until a silent connection is closed                   */
  HTTP_GRACE_MS = 5000,   /* for the requests in progress when it stops            */
};

struct http {
  struct guard *guard;
  struct MHD_Daemon *daemon;
  _Atomic(uint64_t) in_progress; /* requests in progress */
  _Atomic(bool) draining;      /* each connection closes after its next answer */
};

/* One request; exists from its headers until its answer is sent. */
struct request {
  char *body; /* HTTP_BODY_MOST bytes, allocated with the first byte received; or NULL */
  size_t size;
  bool refused; /* too large: the rest is read and dropped, then answered */
};

/* An answer; it owns the body. */
struct answer {
  unsigned status;
  const char *type;
  const char *allow; /* methods, with status 405; NULL: no such header */
  char *body;
  size_t size;
};

static struct answer answer_json(unsigned status, char *body, size_t size)
{
  return (struct answer){status, "application/json", NULL, body, size};
}

/* {"error": "..."}; `text` needs no escapes. */
static struct answer answer_error(unsigned status, const char *text)
{
  char *body = NULL;
  const int size = asprintf(&body, "{\"error\":\"%s\"}", text);

  return answer_json(status, size < 0 ? NULL : body, size < 0 ? 0 : (size_t)size);
}

static struct answer answer_not_allowed(const char *allow)
{
  struct answer answer = answer_error(MHD_HTTP_METHOD_NOT_ALLOWED, "method not allowed here");

  answer.allow = allow;
  return answer;
}

static void answer_headers(const struct http *http, const struct answer *answer,
                           struct MHD_Response *response)
{
  (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
  if (answer->allow != NULL)
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, answer->allow);
  /* relaxed: a connection that misses the flag is closed when the server stops. */
  if (atomic_load_explicit(&http->draining, memory_order_relaxed))
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
}

/* Sends an answer; if there is no memory for that, the connection is closed. */
static enum MHD_Result answer_send(const struct http *http, struct MHD_Connection *connection,
                                   struct answer answer)
{
  if (answer.body == NULL)
    return MHD_NO;
  struct MHD_Response *response =
      MHD_create_response_from_buffer(answer.size, answer.body, MHD_RESPMEM_MUST_FREE);
  if (response == NULL) {
    free(answer.body);
    return MHD_NO;
  }
  answer_headers(http, &answer, response);
  const enum MHD_Result queued = MHD_queue_response(connection, answer.status, response);
  MHD_destroy_response(response);
  return queued;
}

static bool is(const char *text, const char *other)
{
  return strcmp(text, other) == 0;
}

/* Parses a product's id; each id has one spelling. */
static bool http_read_id(const char *text, int64_t *id)
{
  const size_t digits = strspn(text, "0123456789");

  if (digits == 0 || digits > HTTP_ID_DIGITS || text[digits] != '\0' || text[0] == '0')
    return false;
  errno = 0;
  const long long value = strtoll(text, NULL, 10);
  *id = value;
  return errno == 0;
}

static struct answer http_get(struct http *http, int64_t id)
{
  struct lookup lookup = {.id = id};

  switch (guard_get(http->guard, &lookup)) {
  case STAGE_FOUND:
    return answer_json(MHD_HTTP_OK, lookup.body, lookup.size);
  case STAGE_ABSENT:
    return answer_error(MHD_HTTP_NOT_FOUND, "product does not exist");
  default:
    return answer_error(MHD_HTTP_SERVICE_UNAVAILABLE, "the database does not answer");
  }
}

/* Returns the request's JSON object without white space; NULL if the body is not one. */
static char *http_read_object(const struct request *request)
{
  json_t *json = request->body == NULL
                     ? NULL
                     : json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, NULL);
  char *text = json_is_object(json) ? json_dumps(json, JSON_COMPACT) : NULL;

  json_decref(json);
  return text;
}

static struct answer http_put(struct http *http, int64_t id, const struct request *request)
{
  char *body = http_read_object(request);

  if (body == NULL)
    return answer_error(MHD_HTTP_BAD_REQUEST, "the body is not a JSON object");
  const size_t size = strlen(body);
  if (guard_put(http->guard, id, body, size))
    return answer_json(MHD_HTTP_OK, body, size);
  free(body);
  return answer_error(MHD_HTTP_SERVICE_UNAVAILABLE, "the database does not answer");
}

static struct answer http_product(struct http *http, const char *method, const char *rest,
                                  const struct request *request)
{
  int64_t id;

  if (request->refused)
    return answer_error(MHD_HTTP_CONTENT_TOO_LARGE, "a product has at most 64 KiB");
  if (!http_read_id(rest, &id))
    return answer_error(MHD_HTTP_BAD_REQUEST,
                        "a product's id is a number from 1 to 9223372036854775807");
  if (is(method, "GET") || is(method, "HEAD"))
    return http_get(http, id);
  if (is(method, "PUT") || is(method, "POST"))
    return http_put(http, id, request);
  return answer_not_allowed("GET, HEAD, PUT, POST");
}

static struct answer http_rebuild(struct http *http, const char *method, const char *rest,
                                  const struct request *request)
{
  static const char begun[] = "{\"rebuilding\":true}";

  (void)rest;
  (void)request;
  if (!is(method, "POST"))
    return answer_not_allowed("POST");
  if (!guard_rebuild(http->guard))
    return answer_error(MHD_HTTP_CONFLICT, "a rebuild is already in progress");
  return answer_json(MHD_HTTP_ACCEPTED, strdup(begun), sizeof begun - 1);
}

static struct answer http_metrics(struct http *http, const char *method, const char *rest,
                                  const struct request *request)
{
  struct answer answer = {.status = MHD_HTTP_OK, .type = "text/plain; version=0.0.4"};

  (void)rest;
  (void)request;
  if (!is(method, "GET") && !is(method, "HEAD"))
    return answer_not_allowed("GET, HEAD");
  FILE *to = open_memstream(&answer.body, &answer.size);
  if (to == NULL)
    return answer;
  guard_print(http->guard, to);
  if (fclose(to) == 0)
    return answer;
  free(answer.body);
  answer.body = NULL;
  return answer;
}

/* The handler of a path; of all paths below it, if it ends in a slash. */
static const struct route {
  const char *path;
  struct answer (*answer)(struct http *http, const char *method, const char *rest,
                          const struct request *request);
} routes[] = {
    {"/pms/productInfo/", http_product},
    {"/admin/rebuild", http_rebuild},
    {"/metrics", http_metrics},
};

static struct answer http_answer(struct http *http, const char *method, const char *path,
                                 const struct request *request)
{
  for (size_t at = 0; at < sizeof routes / sizeof *routes; at++) {
    const size_t size = strlen(routes[at].path);
    const bool below = routes[at].path[size - 1] == '/';
    if (strncmp(path, routes[at].path, size) == 0 && (below || path[size] == '\0'))
      return routes[at].answer(http, method, path + size, request);
  }
  return answer_error(MHD_HTTP_NOT_FOUND, "no such resource");
}

/* Appends a part of the body, if there is room; false: no memory. */
static bool request_add(struct request *request, const char *bytes, size_t size)
{
  if (request->body == NULL)
    request->body = malloc(HTTP_BODY_MOST);
  if (request->body == NULL)
    return false;
  request->refused |= size > HTTP_BODY_MOST - request->size;
  if (!request->refused) {
    memcpy(request->body + request->size, bytes, size);
    request->size += size;
  }
  return true;
}

static enum MHD_Result http_begin(struct http *http, void **request)
{
  *request = calloc(1, sizeof(struct request));
  if (*request == NULL)
    return MHD_NO;
  /* relaxed: a count for http_stop(), which waits for 0. */
  atomic_fetch_add_explicit(&http->in_progress, 1, memory_order_relaxed);
  return MHD_YES;
}

/* libmicrohttpd calls this for a request's headers, for each part of its body, and at its end. */
static enum MHD_Result http_handle(void *self, struct MHD_Connection *connection,
                                   const char *path, const char *method, const char *version,
                                   const char *bytes, size_t *size, void **request)
{
  struct http *http = self;

  (void)version;
  if (*request == NULL)
    return http_begin(http, request);
  if (*size == 0)
    return answer_send(http, connection, http_answer(http, method, path, *request));
  if (!request_add(*request, bytes, *size))
    return MHD_NO;
  *size = 0;
  return MHD_YES;
}

static void http_end(void *self, struct MHD_Connection *connection, void **request,
                     enum MHD_RequestTerminationCode how)
{
  struct http *http = self;
  struct request *ended = *request;

  (void)connection;
  (void)how;
  if (ended == NULL)
    return;
  free(ended->body);
  free(ended);
  *request = NULL;
  atomic_fetch_sub_explicit(&http->in_progress, 1, memory_order_relaxed);
}

/* Leaves "%31" unchanged: an id has one spelling. */
static size_t http_unescape(void *self, struct MHD_Connection *connection, char *text)
{
  (void)self;
  (void)connection;
  return strlen(text);
}

/* Uses poll().  With epoll, MHD_quiesce_daemon() and the daemon's threads may both remove the
 * socket from one epoll set, and the second one ends the process ("Failed to remove listen FD"):
 * seen once on a busy host. */
static struct MHD_Daemon *http_listen(struct http *http, const struct sockaddr_in *at,
                                      unsigned threads)
{
  return MHD_start_daemon(
      MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0, NULL, NULL,
      http_handle, http, MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)at,
      MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_CONNECTION_TIMEOUT,
      (unsigned)HTTP_IDLE_SECONDS, MHD_OPTION_NOTIFY_COMPLETED, http_end, http,
      MHD_OPTION_UNESCAPE_CALLBACK, http_unescape, http, MHD_OPTION_END);
}

struct http *http_start(struct guard *guard, const char *address, unsigned port,
                        unsigned threads)
{
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

  if (inet_pton(AF_INET, address, &at.sin_addr) != 1) {
    report("%s is not an IPv4 address", address);
    return NULL;
  }
  struct http *http = calloc(1, sizeof *http);
  if (http != NULL) {
    http->guard = guard;
    http->daemon = http_listen(http, &at, threads);
  }
  if (http != NULL && http->daemon != NULL)
    return http;
  report("cannot listen at %s:%u", address, port);
  free(http);
  return NULL;
}

unsigned http_port(const struct http *http)
{
  return MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

/* Waits until no request is in progress, at most HTTP_GRACE_MS. */
static void http_drain(const struct http *http)
{
  const struct timespec moment = {0, 1000000};

  for (int ms = 0; ms < HTTP_GRACE_MS; ms++) {
    if (atomic_load_explicit(&http->in_progress, memory_order_relaxed) == 0)
      return;
    (void)nanosleep(&moment, NULL);
  }
  report("stopping; some requests were not answered");
}

void http_stop(struct http *http)
{
  const MHD_socket listening = MHD_quiesce_daemon(http->daemon);

  atomic_store_explicit(&http->draining, true, memory_order_relaxed);
  http_drain(http);
  MHD_stop_daemon(http->daemon);
  if (listening != MHD_INVALID_SOCKET)
    (void)close(listening);
  free(http);
}
