// proxy.h - a proxy before a server that cuts connections, as a faulty network does.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <list>
#include <random>
#include <thread>

#include "tests/redis/remotes.h"

// Forwards connections to a port, any number at once. One thread does all of it.
class CuttingProxy {
 public:
  // Receives the number of earlier connections. Returns how many bytes, of both directions
  // together, a connection may carry before it is cut.
  using Limit = std::function<size_t(unsigned number)>;
  static constexpr size_t kNever = SIZE_MAX;

  CuttingProxy(uint16_t to, Limit limit) : to_(to), limit_(std::move(limit)) {
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof address;
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listening_, 64), 0);
    EXPECT_EQ(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~CuttingProxy() {
    done_ = true;
    thread_.join();
    for (Pair& pair : pairs_) Close(pair);
    close(listening_);
  }
  uint16_t port() const { return port_; }
  unsigned cut() const { return cut_; }  // how many connections were cut
  uint64_t carried() const { return carried_; }  // bytes of both directions, of all connections

 private:
  struct Pair {
    int client, server;
    size_t left;  // bytes
  };
  static sockaddr_in Loopback(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }
  static void Close(const Pair& pair) {
    close(pair.client);
    close(pair.server);
  }
  void Accept() {
    const sockaddr_in address = Loopback(to_);
    const int client = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const Pair pair = {client, server, limit_(number_++)};
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      pairs_.push_back(pair);
    else
      Close(pair);
  }
  // Forwards what has arrived; false: the connection ends.
  bool Forward(int from, int to, size_t* left) {
    char bytes[16384];
    const ssize_t got = recv(from, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    const size_t passed = std::min(static_cast<size_t>(got), *left);
    if (passed != 0 && send(to, bytes, passed, MSG_NOSIGNAL) != static_cast<ssize_t>(passed))
      return false;
    carried_ += passed;
    if (*left != kNever) *left -= passed;
    cut_ += *left == 0;
    return *left != 0;
  }
  void Serve() {
    while (!done_) {
      std::vector<pollfd> polled = {{listening_, POLLIN, 0}};
      for (const Pair& pair : pairs_) {
        polled.push_back({pair.client, POLLIN, 0});
        polled.push_back({pair.server, POLLIN, 0});
      }
      if (poll(polled.data(), polled.size(), 5) <= 0) continue;
      size_t at = 1;
      for (auto pair = pairs_.begin(); pair != pairs_.end(); at += 2) {
        const bool goes_on =
            (polled[at].revents == 0 || Forward(pair->client, pair->server, &pair->left)) &&
            (polled[at + 1].revents == 0 || Forward(pair->server, pair->client, &pair->left));
        if (!goes_on) Close(*pair);
        pair = goes_on ? std::next(pair) : pairs_.erase(pair);
      }
      if (polled[0].revents != 0) Accept();
    }
  }

  const uint16_t to_;
  const Limit limit_;
  int listening_;
  uint16_t port_;
  std::list<Pair> pairs_;
  unsigned number_ = 0;
  std::atomic<bool> done_{false};
  std::atomic<unsigned> cut_{0};
  std::atomic<uint64_t> carried_{0};
  std::thread thread_;
};

// Opens the filter "seen" many times through a proxy that cuts each third connection after less
// than `most` bytes.
inline void ExpectOpensThroughCuts(lfb_redis_options options, size_t most, unsigned opens) {
  std::mt19937 random(42);
  CuttingProxy proxy(static_cast<uint16_t>(options.port), [&](unsigned) {
    const unsigned drawn = random();
    return drawn % 3 == 0 ? drawn / 3 % most : CuttingProxy::kNever;
  });
  options.port = proxy.port();
  for (unsigned i = 0; i < opens; i++) {
    Remote remote;
    ASSERT_EQ(TryOpen(options, "seen", nullptr, &remote), LFB_OK) << i;
    EXPECT_EQ(PutNumber(remote.get(), i, nullptr), LFB_OK) << i;
  }
  EXPECT_GT(proxy.cut(), opens / 10);
}
