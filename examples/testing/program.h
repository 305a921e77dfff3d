// program.h - a program that a test starts, talks to and stops.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "examples/testing/process.h"

// A port of 127.0.0.1 that was free just now.
inline int FreePort() {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size), 0);
  close(socket_);
  return ntohs(at.sin_port);
}
