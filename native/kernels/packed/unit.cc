#include "kernels/packed/unit.h"

#include <cstring>

namespace llm_host {
namespace {

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

template <typename T>
void write(uint8_t* target, int index, T value) {
  std::memcpy(target + index * sizeof value, &value, sizeof value);
}

// The low nibbles of eight bytes, the first one lowest.
uint32_t nibbles_of(uint64_t bytes) {
  bytes &= 0x0f0f0f0f0f0f0f0f;
  bytes = (bytes | bytes >> 4) & 0x00ff00ff00ff00ff;
  bytes = (bytes | bytes >> 8) & 0x0000ffff0000ffff;
  return static_cast<uint32_t>(bytes | bytes >> 16);
}

// Bytes 0, 2, 4 and 6.
uint32_t even_bytes(uint64_t bytes) {
  bytes &= 0x00ff00ff00ff00ff;
  bytes = (bytes | bytes >> 8) & 0x0000ffff0000ffff;
  return static_cast<uint32_t>(bytes | bytes >> 16);
}

// Codes of `size` columns -> lane 0 of `words`; Upper: bits beyond the low nibble.
template <int Upper>
void pack_nibbles(const uint8_t* codes, int size, uint8_t* words) {
  constexpr int kLows = Upper == 0 ? 1 : 4 / Upper;
  constexpr uint64_t kMask = Upper == 2 ? 0x0303030303030303 : 0x0101010101010101;
  for (const uint8_t* end = codes + size; codes < end;) {
    uint32_t upper = 0;
    for (int i = 0; i < kLows; ++i, codes += 8, words += 64) {
      uint64_t eight;
      std::memcpy(&eight, codes, sizeof eight);
      write(words, 0, nibbles_of(eight));
      if constexpr (Upper == 0) continue;
      uint64_t high = eight >> 4 & kMask;
      upper |= even_bytes(high) << (2 * i * Upper) | even_bytes(high >> 8) << ((2 * i + 1) * Upper);
    }
    if constexpr (Upper == 0) continue;
    write(words, 0, upper);
    words += 64;
  }
}

void pack_bytes(const uint8_t* codes, int size, uint8_t* words) {
  for (int i = 0; i < size; i += 4, words += 64) std::memcpy(words, codes + i, 4);
}

// All groups of a unit: their words follow each other.
void pack_codes(const PackedMatrix& m, const uint8_t* codes, uint8_t* words) {
  int size = m.unit_groups() * m.group_size;
  switch (m.kind) {
    case Kind::kAffine4:
      return pack_nibbles<0>(codes, size, words);
    case Kind::kAffine5:
      return pack_nibbles<1>(codes, size, words);
    case Kind::kAffine6:
      return pack_nibbles<2>(codes, size, words);
    case Kind::kAffine8:
      return pack_bytes(codes, size, words);
    default:
      return;
  }
}

// Words of 4 bits a group: of the scales, of the minima, and two more bits of each.
void pack_six_bits(const PackedUnit& unit, int lane, uint8_t* words) {
  uint32_t scales = 0, minima = 0, upper = 0;
  for (int g = 0; g < PackedMatrix::unit_groups(Scales::kSixBits); ++g) {
    uint32_t scale = unit.scales[g], minimum = unit.minima[g];
    scales |= (scale & 15) << (4 * g);
    minima |= (minimum & 15) << (4 * g);
    upper |= (scale >> 4 | minimum >> 4 << 2) << (4 * g);
  }
  write(words, lane, scales);
  write(words + 64, lane, minima);
  write(words + 128, lane, upper);
}

}  // namespace

void pack_unit(const PackedMatrix& m, const PackedUnit& unit, int row, uint8_t* header) {
  int lane = row % PackedMatrix::kBlockRows;
  write(header, lane, unit.scale);
  if (m.scales == Scales::kFloat16 || m.scales == Scales::kSixBits) {
    write(header + 32, lane, unit.bias);
  }
  if (m.scales == Scales::kSixBits) pack_six_bits(unit, lane, header + 64);
  if (m.scales == Scales::kSignedBytes) {
    for (int g = 0; g < m.unit_groups(); ++g) header[32 + 16 * g + lane] = unit.scales[g];
  }
  pack_codes(m, unit.codes, header + m.header_bytes() + 4 * lane);
}

}  // namespace llm_host
