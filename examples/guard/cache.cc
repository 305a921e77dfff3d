// cache.cc - a cache of products on Redis, between the guard's filter and its file.  It is linked
// with guard.cc, and used if GUARD_REDIS is the port of a Redis server on this machine.
//
// Fresh  When a product changes, an empty value takes the place of its body for some seconds, and a
//        body is written only where there is no value: one read before the change stays out.
// Down   A server that does not answer is not asked for a second.  A guard that could not tell it
//        of a change uses other keys from then on: no old body comes back.
//
// Several guards may share the server.  The key of a product is product:FAMILY:ID.
#include <hiredis/hiredis.h>
#include <sys/random.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

// guard.cc calls these.
bool CacheGet(uint64_t id, std::string* body);
void CacheFill(uint64_t id, const std::string& body);
void CacheForget(uint64_t id);
std::string CacheFigures();

namespace {

struct Free {
  void operator()(redisContext* connection) const { redisFree(connection); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Connection = std::unique_ptr<redisContext, Free>;
using Reply = std::unique_ptr<redisReply, Free>;

// 0: there is none.  Ends the program if GUARD_REDIS is no port.
int ReadPort() {
  const char* text = getenv("GUARD_REDIS");
  char* end = nullptr;
  const long port = text == nullptr ? 0 : strtol(text, &end, 10);
  if (text == nullptr || (*end == '\0' && port > 0 && port < 65536)) return static_cast<int>(port);
  fprintf(stderr, "guard: GUARD_REDIS='%s' is not a port\n", text);
  exit(2);
}

const int port = ReadPort();
thread_local Connection own;            // of the thread
thread_local uint64_t asked_family;     // by the thread's last CacheGet()
thread_local bool missed;               // what that found: CacheFill() is wanted
std::atomic<time_t> down_until{0};      // a time of Now(); 0: it answers
std::atomic<uint64_t> family{0};        // 0 is shared by all guards, any other is this one's
std::atomic<uint64_t> found_count{0}, missed_count{0}, down_count{0};

time_t Now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

// A thread that sees it late makes one more attempt.
void Note(bool answers) {
  const time_t before = down_until.exchange(answers ? 0 : Now() + 1);
  if ((before == 0) != answers)
    fprintf(stderr, "guard: Redis at port %d %s\n", port,
            answers ? "answers again" : "does not answer, going on without it");
}

// Sends a command; returns its answer, never an error, or null: the server is down.
Reply Ask(const char* format, ...) {
  const timeval timeout = {0, 100000};
  Reply reply;
  if (port == 0 || Now() <= down_until) return reply;
  // Twice: the server may have restarted since the thread connected.
  for (int attempt = 0; !reply && attempt < 2; attempt++) {
    if (!own || attempt > 0) own.reset(redisConnectWithTimeout("127.0.0.1", port, timeout));
    if (!own || own->err != 0 || redisSetTimeout(own.get(), timeout) != REDIS_OK) continue;
    va_list arguments;
    va_start(arguments, format);
    reply.reset(static_cast<redisReply*>(redisvCommand(own.get(), format, arguments)));
    va_end(arguments);
  }
  if (reply && reply->type == REDIS_REPLY_ERROR) reply.reset();
  if (!reply || down_until != 0) Note(reply != nullptr);
  return reply;
}

}  // namespace

bool CacheGet(uint64_t id, std::string* body) {
  // A request that begins after a change was answered sees the family of that change.
  asked_family = family;
  const Reply reply = Ask("GET product:%llx:%llu", static_cast<unsigned long long>(asked_family),
                          static_cast<unsigned long long>(id));
  const bool found = reply && reply->type == REDIS_REPLY_STRING && reply->len > 0;
  missed = reply && !found;
  if (found) body->assign(reply->str, reply->len);
  if (port != 0) (found ? found_count : missed ? missed_count : down_count)++;
  return found;
}

void CacheFill(uint64_t id, const std::string& body) {
  if (missed)
    Ask("SET product:%llx:%llu %b EX 300 NX", static_cast<unsigned long long>(asked_family),
        static_cast<unsigned long long>(id), body.data(), body.size());
}

// The empty value stays for longer than any request takes.
void CacheForget(uint64_t id) {
  const Reply reply = Ask("SET product:%llx:%llu %b EX 10",
                          static_cast<unsigned long long>(family.load()),
                          static_cast<unsigned long long>(id), "", size_t{0});
  uint64_t other;
  if (!reply && port != 0 && getrandom(&other, sizeof other, 0) == sizeof other) family = other;
}

std::string CacheFigures() {
  return "guard_cache_found_total " + std::to_string(found_count) +
         "\nguard_cache_missed_total " + std::to_string(missed_count) +
         "\nguard_cache_down_total " + std::to_string(down_count) + "\n";
}
