// module_fake.h - a server that answers BF.CHANGES and BF.WORDS as the module does, or as a test
// changes that.  No server can load the module under a sanitizer.
#pragma once

#include <endian.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "tests/redis/copies.h"
#include "tests/redis/fake.h"

class FakeModule {
 public:
  // Changes an answer, or what there is before the answer was made.
  using Lie = std::function<void(const std::vector<std::string>& words, std::string* answer)>;

  // By default the words are 1.3 MB: two replies.
  explicit FakeModule(uint64_t keys = 1'000'000)
      : filter_(Make(Config(keys, 0.01, LFB_FAST))),
        server_([this](unsigned, const std::string& received) { return Answer(received); }) {}

  lfb_redis_options Options() const {
    lfb_redis_options options{};
    options.port = server_.port();
    options.retries = UINT32_MAX;
    options.connect_ms = options.timeout_ms = 60'000;  // reached only on failure
    return options;
  }
  void SetLie(Lie lie) {
    const std::lock_guard<std::recursive_mutex> guard(lock_);
    lie_ = std::move(lie);
  }
  // Adds a key by its hash; noted: as the module does.  The lie may call it.
  void Add(uint64_t hash, bool noted = true) {
    const std::lock_guard<std::recursive_mutex> guard(lock_);
    if (lfb_filter_put_hash(filter_.get(), hash) && noted) hashes_.push_back(hash);
  }
  // Another server, another log.
  void Forget() {
    const std::lock_guard<std::recursive_mutex> guard(lock_);
    hashes_.clear();
    epoch_++;
  }
  void Settle() const { server_.Settle(); }
  uint64_t epoch() const { return epoch_; }
  unsigned asked(const std::string& command) {
    const std::lock_guard<std::recursive_mutex> guard(lock_);
    unsigned count = 0;
    for (const std::string& name : asked_) count += name == command;
    return count;
  }
  std::vector<uint64_t> Words() {
    const std::lock_guard<std::recursive_mutex> guard(lock_);
    return WordsOf(filter_.get());
  }

  static std::string Bulk(const std::string& bytes) {
    return "$" + std::to_string(bytes.size()) + "\r\n" + bytes + "\r\n";
  }
  static std::string Changes(uint64_t epoch, uint64_t count, const std::string& rest) {
    return "*3\r\n:" + std::to_string(epoch) + "\r\n:" + std::to_string(count) + "\r\n" + rest;
  }
  const std::string& Header() const { return header_; }
  static std::string Hashes(const std::vector<uint64_t>& hashes) {
    std::string bytes;
    for (const uint64_t hash : hashes)
      for (int i = 0; i < 8; i++) bytes += static_cast<char>(hash >> (8 * i));
    return bytes;
  }

 private:
  static constexpr size_t kMost = 1000;  // hashes in one reply

  static std::vector<std::string> Parse(const std::string& text) {
    std::vector<std::string> words;
    for (size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at)) {
      const size_t from = text.find('\n', at) + 1, size = std::stoul(text.substr(at + 1));
      words.push_back(text.substr(from, size));
      at = from + size;
    }
    return words;
  }
  std::string Answer(const std::string& received) {
    const std::vector<std::string> words = Parse(received);
    if (words.empty() || words[0] == "CLUSTER")
      return "-ERR This instance has cluster support disabled\r\n";
    if (words[0] == "PING") return "+PONG\r\n";
    const std::lock_guard<std::recursive_mutex> guard(lock_);
    asked_.push_back(words[0]);
    std::string answer = Honest(words);
    if (lie_) lie_(words, &answer);
    return answer;
  }
  std::string Honest(const std::vector<std::string>& words) {
    if (words[0] == "BF.WORDS") {
      if (std::stoull(words[2]) != epoch_) return "$-1\r\n";
      const std::vector<uint64_t> all = WordsOf(filter_.get());
      const size_t first = std::min(all.size(), size_t{std::stoull(words[3])});
      const size_t count = std::min(all.size() - first, size_t{std::stoull(words[4])});
      std::string bytes(8 * count, '\0');
      for (size_t i = 0; i < count; i++) {
        const uint64_t big = htobe64(all[first + i]);
        memcpy(&bytes[8 * i], &big, sizeof big);
      }
      return Bulk(bytes);
    }
    if (words.size() == 2) return Changes(epoch_, hashes_.size(), Bulk(Header()));
    const size_t since = std::stoull(words[3]);
    if (std::stoull(words[2]) != epoch_ || since > hashes_.size())
      return Changes(epoch_, hashes_.size(), "$-1\r\n");
    const size_t end = std::min(hashes_.size(), since + kMost);
    return Changes(epoch_, hashes_.size(),
                   Bulk(Hashes({hashes_.begin() + static_cast<ptrdiff_t>(since),
                                hashes_.begin() + static_cast<ptrdiff_t>(end)})));
  }

  std::recursive_mutex lock_;
  const Filter filter_;
  const std::string header_ = Bytes(filter_, LFB_FORM_NATIVE).substr(0, 256);
  std::vector<uint64_t> hashes_;
  std::vector<std::string> asked_;
  std::atomic<uint64_t> epoch_{7};
  Lie lie_;
  FakeServer server_;  // last: its thread uses the others
};
