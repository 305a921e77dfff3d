// jobs.h - a link, and jobs given as two functions: the i-th command and its reply.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "redis/link/link.h"
#include "tests/support/filters.h"

using Link = std::unique_ptr<lfb_link, Freed<lfb_link_close>>;

inline Link OpenLink(const lfb_redis_options& options) {
  lfb_link* link = nullptr;
  lfb_said said{};
  EXPECT_EQ(lfb_link_open(&options, &said, &link), LFB_OK) << said.text;
  return Link(link);
}

using Command = std::vector<std::string>;

// The key of a command is its second word. A command without one goes to any node.
inline uint16_t WriteCommand(const Command& words, lfb_wire* wire) {
  lfb_wire_begin(wire, words.size());
  for (const std::string& word : words) lfb_wire_string(wire, word.data(), word.size());
  return words.size() < 2 ? uint16_t{LFB_ANY_SLOT} : lfb_key_slot(words[1].data(), words[1].size());
}

struct Job {
  uint64_t count;
  std::function<Command(uint64_t)> command;
  std::function<lfb_status(uint64_t, const redisReply*, bool)> reply =
      [](uint64_t, const redisReply* answer, bool) { return lfb_reply_status(answer); };
};

inline lfb_status DoJob(lfb_link* link, Job job) {
  lfb_job plain{};
  plain.count = job.count;
  plain.context = &job;
  plain.command = [](void* context, uint64_t i, lfb_wire* wire) {
    return WriteCommand(static_cast<Job*>(context)->command(i), wire);
  };
  plain.reply = [](void* context, uint64_t i, const redisReply* reply, bool again) {
    return static_cast<Job*>(context)->reply(i, reply, again);
  };
  return lfb_link_run(link, &plain);
}

// Sends one command and returns its reply, which must not be an error.
inline std::string Ask(lfb_link* link, const Command& command) {
  std::string answer;
  const lfb_status status = DoJob(link, {1, [&](uint64_t) { return command; },
                                       [&](uint64_t, const redisReply* reply, bool) {
                                         if (reply->type == REDIS_REPLY_INTEGER)
                                           answer = std::to_string(reply->integer);
                                         else if (reply->str != nullptr)
                                           answer.assign(reply->str, reply->len);
                                         return lfb_reply_status(reply);
                                       }});
  EXPECT_EQ(status, LFB_OK) << command[0] << ": " << link->said.text;
  return answer;
}
