// native_bytes.h - bytes of the native form, changed without the library's help.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string>

// Writes a word as the form has it, little-endian.
inline void Store(std::string* bytes, size_t at, uint64_t value) {
  for (size_t i = 0; i < 8; i++) (*bytes)[at + i] = static_cast<char>(value >> (8 * i));
}

// Makes the header's checksum that of the header.
inline void SealHeader(std::string* bytes) {
  Store(bytes, 248, XXH3_64bits(bytes->data(), 248));
}

// The same form, written at another time.
inline std::string Stamped(std::string bytes, uint64_t time) {
  Store(&bytes, 80, time);
  SealHeader(&bytes);
  return bytes;
}
