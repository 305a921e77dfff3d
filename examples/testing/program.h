// program.h - a program that a test starts, talks to and stops.  Each wait has a time limit.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/await.h"

// A running program.  It is killed when this object is destroyed, or when the thread that made it
// ends.
class Program {
 public:
  // Starts argv[0], searched for in PATH.  Line() reads its standard output, and with `errors` its
  // standard error too.
  explicit Program(const std::vector<std::string>& argv, bool errors = false) : name_(argv[0]) {
    int ends[2], inputs[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    // A socket, not a pipe: writing to a program that has ended then raises no SIGPIPE here.
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, inputs), 0);
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(127);
      dup2(inputs[1], STDIN_FILENO);
      dup2(ends[1], STDOUT_FILENO);
      if (errors) dup2(ends[1], STDERR_FILENO);
      execvp(words[0], words.data());
      _exit(127);
    }
    EXPECT_GT(pid_, 0);
    close(ends[1]);
    close(inputs[1]);
    input_ = inputs[0];
    output_ = ends[0];
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (pid_ > 0) (void)Stop(SIGKILL);
    close(output_);
    close(input_);
  }

  // Sends text to the program's standard input; EndInput() closes it.
  void Say(const std::string& text) const {
    EXPECT_EQ(send(input_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  void EndInput() const { EXPECT_EQ(shutdown(input_, SHUT_WR), 0); }

  // The next line of its output, without the newline; "" once the output is closed.
  std::string Line() {
    size_t end;
    while ((end = read_.find('\n')) == std::string::npos && Read()) continue;
    const std::string line = read_.substr(0, end);
    read_.erase(0, end == std::string::npos ? end : end + 1);
    return line;
  }

  void Signal(int signal) const { kill(pid_, signal); }

  // Waits for the program to end; returns its exit status, or minus the signal that killed it.
  int Wait() {
    const int status = AwaitChild(name_ + " ends", pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int Stop(int signal) {
    Signal(signal);
    return Wait();
  }

 private:
  // Appends the program's output to read_; false if it will write no more.
  bool Read() {
    pollfd polled = {output_, POLLIN, 0};
    const int limit = static_cast<int>(std::chrono::milliseconds(kPatience).count());
    if (poll(&polled, 1, limit) == 0) WaitedInVain(name_ + " writes a line");
    char bytes[4096];
    const ssize_t got = read(output_, bytes, sizeof bytes);
    if (got > 0) read_.append(bytes, static_cast<size_t>(got));
    return got > 0;
  }

  const std::string name_;
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string read_;  // output not yet returned by Line()
};
