// native_bytes.h - bytes of the native form, changed without the library's help.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <string>

// Writes a word as the form has it, little-endian.
inline void Store(std::string* bytes, size_t at, uint64_t value) {
  for (size_t i = 0; i < 8; i++) (*bytes)[at + i] = static_cast<char>(value >> (8 * i));
}

// Makes the checksum of the header that begins at `from` that of the header.
inline void SealHeader(std::string* bytes, size_t from = 0) {
  Store(bytes, from + 248, XXH3_64bits(bytes->data() + from, 248));
}

// The same form, whose header begins at `from`, written at another time.
inline std::string Stamped(std::string bytes, uint64_t time, size_t from = 0) {
  Store(&bytes, from + 80, time);
  SealHeader(&bytes, from);
  return bytes;
}

// A mapped form as a little-endian machine would have written it: the mark of the order and
// all from the shared part on are numbers of 8 bytes, as the machine has them.
inline std::string MappedLittle(std::string bytes) {
  if (bytes[16] == 8) return bytes;
  std::reverse(bytes.begin() + 16, bytes.begin() + 24);
  for (auto at = bytes.begin() + 512; at != bytes.end(); at += 8) std::reverse(at, at + 8);
  SealHeader(&bytes);
  return bytes;
}
