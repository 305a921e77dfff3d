// program.h - a program that a test starts, talks to and stops.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

// One that is killed at the latest when its owner goes.
class Program {
 public:
  // Starts argv[0], found as the shell does; its standard output comes here, and with `errors`
  // its standard error too.
  explicit Program(const std::vector<std::string>& argv, bool errors = false) {
    int ends[2], inputs[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    // A socket, so that what a program does not read any more is no signal here.
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, inputs), 0);
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
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
    output_ = fdopen(ends[0], "r");
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (pid_ > 0) (void)Stop(SIGKILL);
    fclose(output_);
    close(input_);
  }

  // Sends something to its standard input, and that no more will come.
  void Say(const std::string& text) const {
    EXPECT_EQ(send(input_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  void EndInput() const { EXPECT_EQ(shutdown(input_, SHUT_WR), 0); }

  // The next line of its output, without its end; "" once it has closed it.
  std::string Line() {
    char line[512];
    if (fgets(line, sizeof line, output_) == nullptr) return "";
    std::string text(line);
    if (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

  void Signal(int signal) const { kill(pid_, signal); }

  // Waits for its end: the exit status, or minus the signal that killed it.
  int Wait() {
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int Stop(int signal) {
    Signal(signal);
    return Wait();
  }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  FILE* output_ = nullptr;
};
