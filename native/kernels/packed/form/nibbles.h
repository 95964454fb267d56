#pragma once

#include <cstdint>
#include <cstring>

namespace llm_host {

// Bytes of 16 columns, two to a lane.
typedef uint16_t ColumnPairs __attribute__((vector_size(16)));

inline ColumnPairs load_pairs(const uint8_t* bytes) {
  ColumnPairs pairs;
  std::memcpy(&pairs, bytes, sizeof pairs);
  return pairs;
}

struct TwoWords {
  uint32_t first, second;
};

// The low byte of each lane.
inline TwoWords low_bytes(ColumnPairs pairs) {
  typedef uint8_t Bytes __attribute__((vector_size(8)));
  Bytes bytes = __builtin_convertvector(pairs & 0xff, Bytes);
  TwoWords words;
  std::memcpy(&words, &bytes, sizeof words);
  return words;
}

// Two words of a row: they are a vector of 16 rows apart.
inline void store_words(TwoWords words, uint8_t* target) {
  std::memcpy(target, &words.first, 4);
  std::memcpy(target + 64, &words.second, 4);
}

// The low nibbles of 16 columns, the first column's lowest.
inline void pack_low_nibbles(ColumnPairs columns, uint8_t* target) {
  store_words(low_bytes((columns & 0x0f) | (columns >> 4 & 0xf0)), target);
}

}  // namespace llm_host
