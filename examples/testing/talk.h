// talk.h - a TCP connection over which a test can send any bytes.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "tests/support/await.h"

class Talk {
 public:
  // Connects to "127.0.0.1:PORT".
  explicit Talk(const std::string& at) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(at.substr(at.find(':') + 1))));
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // A time limit for connect() and each later call.
    const timeval patience = {kPatience.count(), 0};
    EXPECT_EQ(setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    EXPECT_EQ(setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience), 0);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;
  ~Talk() { close(socket_); }

  void Say(const std::string& text) {
    for (size_t said = 0; said < text.size();) {
      const ssize_t some = send(socket_, text.data() + said, text.size() - said, MSG_NOSIGNAL);
      if (some < 0 && errno == EAGAIN) WaitedInVain("the other side reads what is said");
      if (some <= 0) return;
      said += static_cast<size_t>(some);
    }
  }

  // Closes the sending side.
  void End() { shutdown(socket_, SHUT_WR); }

  // All that arrives up to and including `end`, or until the other side closes.
  std::string Hear(const std::string& end) {
    size_t at;
    while ((at = heard_.find(end, begin_)) == std::string::npos && Receive()) continue;
    const size_t next = at == std::string::npos ? heard_.size() : at + end.size();
    const std::string heard = heard_.substr(begin_, next - begin_);
    begin_ = next;
    return heard;
  }

 private:
  // Appends received bytes to heard_; false if no more will come.
  bool Receive() {
    char bytes[65536];
    const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
    if (got < 0 && errno == EAGAIN) WaitedInVain("the other side says something");
    if (got <= 0) return false;
    heard_.erase(0, begin_);
    begin_ = 0;
    heard_.append(bytes, static_cast<size_t>(got));
    return true;
  }

  int socket_;
  std::string heard_;  // from begin_ on: bytes that Hear() has not returned yet
  size_t begin_ = 0;
};
