#pragma once

#include <cstdint>
#include <cstring>

namespace llm_host {

inline uint16_t read_bits(const uint8_t* source) {
  uint16_t bits;
  std::memcpy(&bits, source, sizeof bits);
  return bits;
}

inline bool is_finite_float16(uint16_t bits) { return (bits & 0x7c00) != 0x7c00; }

// The readers are compiled to vectors only if the compiler knows that a block and its codes do not
// overlap; and codes that are written byte by byte are slow to read as words.
#define RESTRICT __restrict

// Weights 0..15 in the low nibbles, 16..31 in the high ones.
inline void unpack_nibbles(const uint8_t* RESTRICT source, uint8_t* RESTRICT codes) {
  for (int i = 0; i < 16; ++i) codes[i] = source[i] & 0xf;
  for (int i = 0; i < 16; ++i) codes[i + 16] = source[i] >> 4;
}

}  // namespace llm_host
