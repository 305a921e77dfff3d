// ports.h - ports for a test's own servers.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

// A port of the loopback interface that no other process gets while the object exists.
//
// The object keeps a socket bound to the port.  The kernel then chooses the port neither for a
// bind() to port 0 nor for a connection, of this process or of any other.  A server that sets
// SO_REUSEADDR, as redis-server does, can still bind the port and listen there, any number of
// times.  While no server listens, a connection to the port is refused.
class HeldPort {
 public:
  HeldPort() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    const int yes = 1;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    // After bind(): with the option set before, bind() might choose the port of another object.
    EXPECT_EQ(setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    number_ = ntohs(address.sin_port);
  }
  ~HeldPort() { close(socket_); }
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;

  uint16_t number() const { return number_; }

 private:
  const int socket_;
  uint16_t number_ = 0;
};
