// guard.cc - guard FILE PORT: serves the products of an SQLite file by HTTP.  Requests for absent
// ids end at a filter of all ids, and never reach the file.  The filter is rebuilt from the file
// each night, and when asked to; it is swapped while requests go on.
#include <arpa/inet.h>
#include <lfbloom/follow.h>
#include <microhttpd.h>
#include <signal.h>
#include <sqlite3.h>

#include <atomic>
#include <string>

constexpr double kFpp = 0.001;         // share of the absent ids that pass
constexpr unsigned kNight = 3 * 3600;  // UTC
enum Figure { kRefused, kPassed, kFound, kMissed, kDown, kFigures };
static std::atomic<uint64_t> figures[kFigures];
static const char* path;          // of the file
static lfb_versions* ids;         // the filter
static lfb_follow* follow;        // rebuilds it
static std::atomic<bool> wanted;  // a rebuild, without waiting for the night
static const bool all = getenv("GUARD_ALL") != nullptr;  // let all ids pass, to measure

// Redis between the filter and the file, if cache.cc is linked; otherwise these are null.
[[gnu::weak]] bool CacheGet(uint64_t id, std::string* body);
[[gnu::weak]] void CacheFill(uint64_t id, const std::string& body);
[[gnu::weak]] void CacheForget(uint64_t id);
[[gnu::weak]] std::string CacheFigures();

// Opens the file for one query: one that was replaced is noticed, and none is created.
struct Query {
  explicit Query(const char* sql, std::initializer_list<uint64_t> numbers = {}) {
    int at = 0;
    sqlite3_open_v2(path, &file, SQLITE_OPEN_READWRITE, nullptr);
    sqlite3_busy_timeout(file, 5000);
    sqlite3_prepare_v2(file, sql, -1, &rows, nullptr);
    for (uint64_t number : numbers) sqlite3_bind_int64(rows, ++at, static_cast<int64_t>(number));
  }
  ~Query() { sqlite3_finalize(rows), sqlite3_close(file); }
  bool Next() {  // false: there is no row, or it failed
    const int last = sqlite3_step(rows);
    failed = last != SQLITE_ROW && last != SQLITE_DONE;
    if (failed) fprintf(stderr, "guard: %s: %s\n", path, sqlite3_errmsg(file));
    return last == SQLITE_ROW;
  }
  uint64_t Number() { return static_cast<uint64_t>(sqlite3_column_int64(rows, 0)); }

  sqlite3* file = nullptr;
  sqlite3_stmt* rows = nullptr;  // null: its first step fails
  bool failed = false;
};

// ---- the source of the filter: the ids of the table ----

static lfb_status Version(void* polls, uint64_t* version) {
  *version = ++*static_cast<uint64_t*>(polls);  // another program may write at any time
  return LFB_OK;
}
// PUT has put its ids itself.  Those of other programs wait for the rebuild.
static lfb_status Changes(void*, uint64_t, lfb_keys_sink*) {
  return wanted.exchange(false) ? LFB_ERROR_NO_CHANGES : LFB_OK;
}
static lfb_status Count(void*, uint64_t* count) {
  Query row("SELECT count(*) FROM products");
  if (!row.Next()) return LFB_ERROR_READ;
  *count = row.Number();
  return LFB_OK;
}
// A query for each batch: no writer waits for a whole rebuild.
static lfb_status Keys(void*, unsigned part, unsigned parts, lfb_keys_sink* sink) {
  uint64_t batch[1024] = {0};
  lfb_status status = LFB_OK;
  for (size_t count = 1; count > 0 && status == LFB_OK;) {
    Query row("SELECT id FROM products WHERE id > ?1 AND id % ?2 = ?3 ORDER BY id",
              {batch[count - 1], parts, part});
    for (count = 0; count < 1024 && row.Next(); count++) batch[count] = row.Number();
    status = row.failed ? LFB_ERROR_READ : lfb_keys_give(sink, batch, count, LFB_U64_KEY);
  }
  return status;
}
static void Report(void*, lfb_followed what, lfb_status status) {
  if (what != LFB_FOLLOWED_FAILED) return;
  fprintf(stderr, "guard: no new filter: %s\n", lfb_status_text(status));
  wanted = true;  // it is tried again in some seconds
}

// ---- HTTP: each returns a status; with 200, *body is the answer ----

static unsigned Get(uint64_t id, std::string* body) {
  const bool pass = all || lfb_versions_might_contain_u64(ids, id);
  figures[pass ? kPassed : kRefused]++;
  if (!pass) return MHD_HTTP_NOT_FOUND;
  if (CacheGet && CacheGet(id, body)) return MHD_HTTP_OK;
  Query row("SELECT body FROM products WHERE id = ?1", {id});
  const bool found = row.Next();
  figures[found ? kFound : row.failed ? kDown : kMissed]++;
  if (!found) return row.failed ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_NOT_FOUND;
  body->assign(static_cast<const char*>(sqlite3_column_blob(row.rows, 0)),
               static_cast<size_t>(sqlite3_column_bytes(row.rows, 0)));
  if (CacheFill) CacheFill(id, *body);
  return MHD_HTTP_OK;
}

static unsigned Put(uint64_t id, std::string* body) {
  Query row("INSERT OR REPLACE INTO products VALUES (?1, ?2)", {id});
  sqlite3_bind_blob(row.rows, 2, body->data(), static_cast<int>(body->size()), SQLITE_STATIC);
  row.Next();
  if (row.failed) return MHD_HTTP_SERVICE_UNAVAILABLE;
  lfb_versions_put_u64(ids, id);  // after the file has it: then no rebuild misses it
  if (CacheForget) CacheForget(id);
  *body = "written\n";
  return MHD_HTTP_OK;
}

static unsigned Metrics(std::string* body) {
  lfb_follow_figures rebuilds;
  lfb_versions_figures now;
  lfb_follow_stats(follow, &rebuilds);
  lfb_versions_stats(ids, &now);
  const std::pair<const char*, double> rows[] = {
      {"filter_refused_total", figures[kRefused]}, {"filter_passed_total", figures[kPassed]},
      {"database_found_total", figures[kFound]}, {"database_missed_total", figures[kMissed]},
      {"database_down_total", figures[kDown]}, {"rebuilds_total", rebuilds.rebuilds},
      {"failures_in_a_row", rebuilds.failures}, {"filter_version", now.number},
      {"filter_age_seconds", now.age}, {"filter_bits", now.all.bit_count},
      {"filter_keys", now.all.approximate_count}, {"filter_expected_fpp", now.all.expected_fpp}};
  *body = CacheFigures ? CacheFigures() : "";
  for (const auto& row : rows) {
    char line[80];
    snprintf(line, sizeof line, "guard_%s %.15g\n", row.first, row.second);
    *body += line;
  }
  return MHD_HTTP_OK;
}

static unsigned Answer(const std::string& method, const std::string& url, std::string* body) {
  static const std::string products = "/pms/productInfo/";
  if (url == "/metrics" && method == "GET") return Metrics(body);
  if (url == "/admin/rebuild" && method == "POST") {
    wanted = true;
    lfb_follow_wake(follow);
    return MHD_HTTP_ACCEPTED;
  }
  if (url.compare(0, products.size(), products) != 0) return MHD_HTTP_NOT_FOUND;
  const uint64_t id = strtoull(&url[products.size()], nullptr, 10);
  if (id == 0 || id > INT64_MAX || products + std::to_string(id) != url)
    return MHD_HTTP_BAD_REQUEST;
  if (method == "GET") return Get(id, body);
  if (method != "PUT") return MHD_HTTP_METHOD_NOT_ALLOWED;
  return body->empty() || body->size() > 65536 ? MHD_HTTP_CONTENT_TOO_LARGE : Put(id, body);
}

// Called with a request's headers, with each part of its body, and at its end.
static MHD_Result Handle(void*, MHD_Connection* to, const char* url, const char* method,
                         const char*, const char* bytes, size_t* size, void** state) {
  auto* body = static_cast<std::string*>(*state);
  if (body == nullptr) return *state = new std::string, MHD_YES;
  if (*size > 0) {
    if (body->size() <= 65536) body->append(bytes, *size);
    *size = 0;
    return MHD_YES;
  }
  const unsigned status = Answer(method, url, body);
  if (status != MHD_HTTP_OK) *body = MHD_get_reason_phrase_for(status) + std::string("\n");
  MHD_Response* answer =
      MHD_create_response_from_buffer(body->size(), body->data(), MHD_RESPMEM_MUST_COPY);
  const MHD_Result queued = MHD_queue_response(to, status, answer);
  MHD_destroy_response(answer);
  return queued;
}
static void End(void*, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
  delete static_cast<std::string*>(*state);
}

int main(int argc, char** argv) {
  uint64_t polls = 0;
  char* end = nullptr;
  const unsigned long port = argc == 3 ? strtoul(argv[2], &end, 10) : 65536;
  if (port > 65535 || end == argv[2] || *end != '\0')
    return fputs("usage: guard FILE PORT\n", stderr), 2;
  path = argv[1];
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM), sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // the threads inherit it
  signal(SIGPIPE, SIG_IGN);

  lfb_source source{};
  source.self = &polls;
  source.version = Version, source.changes = Changes, source.count = Count, source.keys = Keys;
  lfb_follow_config how{};
  how.rebuild.expected_insertions = 1000;  // at least; a quarter more than there are
  how.rebuild.fpp = kFpp;
  how.most_fpp = 2 * kFpp;  // then it is rebuilt, larger
  how.threads = 2;
  how.daily = true, how.daily_second = kNight;
  how.most_retry_seconds = 4;
  how.report = Report;
  how.start_at_once = true;  // until the file was read once, all ids pass
  lfb_status status = lfb_versions_create_waiting(&ids);
  if (status == LFB_OK) status = lfb_follow_create(ids, &source, &how, &follow);
  if (status == LFB_OK) status = lfb_follow_start(follow);
  if (status != LFB_OK) return fprintf(stderr, "guard: %s\n", lfb_status_text(status)), 2;

  sockaddr_in at{};
  at.sin_family = AF_INET, at.sin_port = htons(static_cast<uint16_t>(port));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  MHD_Daemon* server = MHD_start_daemon(
      MHD_USE_POLL_INTERNAL_THREAD, 0, nullptr, nullptr, Handle, nullptr, MHD_OPTION_SOCK_ADDR, &at,
      MHD_OPTION_THREAD_POOL_SIZE, 4u, MHD_OPTION_NOTIFY_COMPLETED, End, nullptr, MHD_OPTION_END);
  if (server == nullptr) {
    fprintf(stderr, "guard: cannot listen at 127.0.0.1:%lu\n", port);
  } else {
    printf("listening on 127.0.0.1:%u\n",
           MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    int caught;
    sigwait(&signals, &caught);
    MHD_stop_daemon(server);
  }
  lfb_follow_free(follow);
  lfb_versions_free(ids);
  return server == nullptr ? 2 : 0;
}
