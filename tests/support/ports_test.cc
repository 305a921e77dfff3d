// ports_test.cc - a held port is free for one server, and for no other program.
#include "tests/support/ports.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <set>
#include <vector>

namespace {

// A socket of the loopback interface, bound to the port if possible.  The destructor closes it.
class Bound {
 public:
  Bound(uint16_t port, bool reuse) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int yes = reuse;
    EXPECT_EQ(setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), 0);
    const sockaddr_in address = Loopback(port);
    error_ = bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
             ? 0 : errno;
  }
  ~Bound() { close(socket_); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  int error() const { return error_; }
  int Listen() const { return listen(socket_, 1) == 0 ? 0 : errno; }
  uint16_t port() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    return ntohs(address.sin_port);
  }
  // Connects to the port.  Returns 0 or an error number.
  int Connect(uint16_t port) const {
    const sockaddr_in address = Loopback(port);
    return connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
           ? 0 : errno;
  }

 private:
  static sockaddr_in Loopback(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }
  int socket_;
  int error_ = 0;
};

// A server is killed and restarted several times.  Seen to fail without SO_REUSEADDR.
TEST(HeldPort, IsOneServersAgainAndAgain) {
  const HeldPort port;
  for (int round = 0; round < 3; round++) {
    EXPECT_EQ(Bound(0, false).Connect(port.number()), ECONNREFUSED);
    const Bound server(port.number(), true), client(0, false);
    EXPECT_EQ(server.error(), 0);
    EXPECT_EQ(server.Listen(), 0);
    EXPECT_EQ(client.Connect(port.number()), 0);
    EXPECT_EQ(Bound(port.number(), true).error(), EADDRINUSE) << "a second server";
  }
}

// No other object gets the port, and no program that asks for any port, with or without
// SO_REUSEADDR.  Seen to fail, for each port, with the object's socket closed at once.
TEST(HeldPort, BelongsToNoOtherProcess) {
  constexpr unsigned kPorts = 150;
  std::vector<std::unique_ptr<HeldPort>> held;
  std::vector<std::unique_ptr<Bound>> others;
  std::set<uint16_t> ports;
  for (unsigned i = 0; i < kPorts; i++) {
    held.push_back(std::make_unique<HeldPort>());
    EXPECT_TRUE(ports.insert(held.back()->number()).second);
    EXPECT_EQ(Bound(held.back()->number(), false).error(), EADDRINUSE);
  }
  for (unsigned i = 0; i < kPorts; i++) {
    others.push_back(std::make_unique<Bound>(0, i % 2 == 0));
    EXPECT_EQ(ports.count(others.back()->port()), 0u);
  }
}

}  // namespace
