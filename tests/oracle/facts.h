// facts.h - the common part of both sides of a differential test: one source of numbers, and one
// text that both write and compare.cc compares.
//
// A fact file is a list of cases. A case starts with a line "case NAME"; text after " # " is
// only for the reader. It has one line for each fact. A number written as "~" and 16 hexadecimal
// digits is a double that may differ by one unit in the last place.
//
// Facts.java defines the same in Java: change both.
#ifndef LFBLOOM_TESTS_ORACLE_FACTS_H
#define LFBLOOM_TESTS_ORACLE_FACTS_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace oracle {

// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}

  // The generator of thing number `index` below the one with this seed.
  static SplitMix of(uint64_t seed, uint64_t index) {
    return SplitMix(SplitMix(seed ^ (index * UINT64_C(0xd1342543de82ef95))).next());
  }

  uint64_t next() {
    uint64_t z = (state_ += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
  }

  // At least 0, less than `bound`, which is at most 2^31.
  uint32_t below(uint64_t bound) { return static_cast<uint32_t>((next() >> 33) % bound); }

  // At least 0, less than 1: exact, so every language computes the same value.
  double unit() { return static_cast<double>(next() >> 11) / 9007199254740992.0; }

 private:
  uint64_t state_;
};

inline uint64_t fnv64(const uint8_t* bytes, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

inline std::string hex(const uint8_t* bytes, size_t size) {
  static const char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; i++) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

inline std::string hex64(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

inline uint64_t bits_of(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

class Facts {
 public:
  explicit Facts(const char* path) : file_(std::fopen(path, "w")) {
    if (file_ == nullptr) {
      std::perror(path);
      std::exit(2);
    }
  }
  ~Facts() { std::fclose(file_); }
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  void line(const std::string& text) {
    std::fprintf(file_, "%s\n", text.c_str());
    if (text.rfind("case ", 0) == 0) std::fflush(file_);  // shows where a crashed run ended
  }

  // Yes-or-no answers in order, 512 per line. Each line begins with its position; each digit
  // holds four answers, the first in its highest bit.
  void answers(const std::string& name, const std::vector<bool>& answers) {
    for (size_t from = 0; from < answers.size(); from += 512) {
      std::string text;
      for (size_t i = from; i < from + 512 && i < answers.size(); i += 4) {
        unsigned digit = 0;
        for (size_t j = i; j < i + 4; j++) digit = 2 * digit + (j < answers.size() && answers[j]);
        text += "0123456789abcdef"[digit];
      }
      line(name + "@" + std::to_string(from) + " " + text);
    }
  }

  // All bytes if they are few, otherwise a digest of each 4096 of them.
  void bytes(const std::string& name, const std::vector<uint8_t>& bytes) {
    line(name + " size " + std::to_string(bytes.size()));
    const bool few = bytes.size() <= 512;
    for (size_t from = 0; from < bytes.size(); from += 4096) {
      const size_t size = bytes.size() - from < 4096 ? bytes.size() - from : 4096;
      line(name + "@" + std::to_string(from) + " " +
           (few ? hex(&bytes[from], size) : hex64(fnv64(&bytes[from], size))));
    }
  }

 private:
  std::FILE* file_;
};

}  // namespace oracle

#endif
