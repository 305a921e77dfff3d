// fake.h - a server on a port that is not Redis, or behaves like a faulty one.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

// Answers each time it receives something, on one connection after the other.
class FakeServer {
 public:
  // Receives the number of earlier calls and the bytes received. "" sends no answer, kClose
  // closes the connection.
  using Answer = std::function<std::string(unsigned time, const std::string& received)>;
  static constexpr char kClose[] = "<close>";

  explicit FakeServer(Answer answer) : answer_(std::move(answer)) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listening_, 16), 0);
    EXPECT_EQ(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~FakeServer() {
    done_ = true;
    thread_.join();
    close(listening_);
  }
  uint16_t port() const { return port_; }
  unsigned times() const { return times_; }
  // Waits until the connections that others have closed are closed here, too.
  void Settle() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(s, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(send(s, kSettle, sizeof kSettle, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof kSettle));
    char byte;
    EXPECT_EQ(recv(s, &byte, 1, 0), 0);  // it was accepted after all others
    close(s);
  }

 private:
  static constexpr char kSettle[] = "settle";
  bool Wait(int s) const {
    pollfd polled = {s, POLLIN, 0};
    while (!done_)
      if (poll(&polled, 1, 5) == 1) return true;
    return false;
  }
  void Serve() {
    while (Wait(listening_)) {
      const int s = accept(listening_, nullptr, nullptr);
      char bytes[65536];
      while (Wait(s)) {
        const ssize_t got = recv(s, bytes, sizeof bytes, 0);
        if (got <= 0 || (got == sizeof kSettle && memcmp(bytes, kSettle, sizeof kSettle) == 0))
          break;
        const std::string text = answer_(times_++, std::string(bytes, static_cast<size_t>(got)));
        if (text == kClose) break;
        if (send(s, text.data(), text.size(), MSG_NOSIGNAL) < 0) break;
      }
      close(s);
    }
  }

  const Answer answer_;
  int listening_;
  uint16_t port_;
  std::atomic<bool> done_{false};
  std::atomic<unsigned> times_{0};
  std::thread thread_;
};
