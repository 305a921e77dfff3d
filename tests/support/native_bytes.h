// native_bytes.h - changing bytes of the native form without calling the library.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

// Writes a word in the form's byte order, little-endian.
inline void Store(std::string* bytes, size_t at, uint64_t value) {
  for (size_t i = 0; i < 8; i++) (*bytes)[at + i] = static_cast<char>(value >> (8 * i));
}

inline uint64_t WordOf(double value) {
  uint64_t word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

// Reads a word of the form.
inline uint64_t Fetch(const std::string& bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; i++)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

// Corrects the checksum of the header that begins at `from`.
inline void SealHeader(std::string* bytes, size_t from = 0) {
  Store(bytes, from + 248, XXH3_64bits(bytes->data() + from, 248));
}

// The same form written at another time.  Its header begins at `from`.
inline std::string Stamped(std::string bytes, uint64_t time, size_t from = 0) {
  Store(&bytes, from + 80, time);
  SealHeader(&bytes, from);
  return bytes;
}

// The same form with zeros where a text could be, which is ignored.  Its header begins at `from`.
inline std::string Untexted(std::string bytes, size_t from = 0) {
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(from) + 104, 64, '\0');
  SealHeader(&bytes, from);
  return bytes;
}

// A mapped form as a little-endian processor would have written it.  The mark of the byte order,
// and all numbers from the shared part on, have 8 bytes in the processor's order.
inline std::string MappedLittle(std::string bytes) {
  if (bytes[16] == 8) return bytes;
  std::reverse(bytes.begin() + 16, bytes.begin() + 24);
  for (auto at = bytes.begin() + 512; at != bytes.end(); at += 8) std::reverse(at, at + 8);
  SealHeader(&bytes);
  return bytes;
}
