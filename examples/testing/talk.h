// talk.h - a TCP connection over which a test says what it likes.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

class Talk {
 public:
  // Connects to "127.0.0.1:PORT".
  explicit Talk(const std::string& at) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(at.substr(at.find(':') + 1))));
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;
  ~Talk() { close(socket_); }

  void Say(const std::string& text) {
    for (size_t said = 0; said < text.size();) {
      const ssize_t some = send(socket_, text.data() + said, text.size() - said, MSG_NOSIGNAL);
      if (some <= 0) return;
      said += static_cast<size_t>(some);
    }
  }

  // No more will be said.
  void End() { shutdown(socket_, SHUT_WR); }

  // All that comes up to and with `end`, or up to where the other side closes.
  std::string Hear(const std::string& end) {
    std::string heard;
    char byte;
    while (heard.size() < end.size() || heard.compare(heard.size() - end.size(), end.size(), end) != 0) {
      if (recv(socket_, &byte, 1, 0) != 1) break;
      heard += byte;
    }
    return heard;
  }

 private:
  int socket_;
};
