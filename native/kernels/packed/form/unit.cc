#include "kernels/packed/form/unit.h"

#include <cstring>

#include "kernels/packed/form/nibbles.h"

namespace llm_host {
namespace {

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

template <typename T>
void write(uint8_t* target, int index, T value) {
  std::memcpy(target + index * sizeof value, &value, sizeof value);
}

// Codes of `size` columns -> lane 0 of `words`; Upper: bits beyond the low nibble, of as many
// columns in a word as it has room for.
template <int Upper>
void pack_nibbles(const uint8_t* codes, int size, uint8_t* words) {
  constexpr int kLows = Upper == 0 ? 2 : 4 / Upper;
  constexpr uint16_t kEven = (1 << Upper) - 1, kOdd = kEven << Upper;
  for (const uint8_t* end = codes + size; codes < end;) {
    uint32_t upper = 0;
    for (int i = 0; i < kLows; i += 2, codes += 16, words += 128) {
      ColumnPairs columns = load_pairs(codes);
      pack_low_nibbles(columns, words);
      if constexpr (Upper == 0) continue;
      TwoWords high = low_bytes((columns >> 4 & kEven) | (columns >> (12 - Upper) & kOdd));
      upper |= high.first << (2 * i * Upper) | high.second << (2 * (i + 1) * Upper);
    }
    if constexpr (Upper == 0) continue;
    write(words, 0, upper);
    words += 64;
  }
}

void pack_bytes(const uint8_t* codes, int size, uint8_t* words) {
  for (int i = 0; i < size; i += 4, words += 64) std::memcpy(words, codes + i, 4);
}

// Codes of 2 bits, or of 3 with the third bits of 32 columns in a word: byte j of word i has those
// of its columns 4j .. 4j + 3 from bit 4i on.
template <int Upper>
void pack_pairs(const uint8_t* codes, int size, uint8_t* words) {
  constexpr int kLows = Upper == 0 ? 1 : 2, kColumns = 16;
  for (const uint8_t* end = codes + size; codes < end;) {
    uint32_t upper = 0;
    for (int i = 0; i < kLows; ++i, codes += kColumns, words += 64) {
      uint32_t low = 0;
      for (int c = 0; c < kColumns; ++c) {
        low |= (codes[c] & 3u) << (2 * c);
        upper |= (codes[c] >> 2 & 1u) << (8 * (c / 4) + 4 * i + c % 4);
      }
      write(words, 0, low);
    }
    if constexpr (Upper == 0) continue;
    write(words, 0, upper);
    words += 64;
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

void pack_codes(Kind kind, const uint8_t* codes, int size, uint8_t* words) {
  switch (kind) {
    case Kind::kAffine2:
      return pack_pairs<0>(codes, size, words);
    case Kind::kAffine3:
      return pack_pairs<1>(codes, size, words);
    case Kind::kAffine4:
    case Kind::kFloat4:
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

void pack_unit(const PackedMatrix& m, const PackedUnit& unit, int row, uint8_t* header) {
  int lane = row % PackedMatrix::kBlockRows;
  if (m.scales == Scales::kExponents) {
    header[lane] = unit.scales[0];
  } else {
    write(header, lane, unit.scale);
  }
  if (m.scales == Scales::kFloat16 || m.scales == Scales::kSixBits) {
    write(header + 32, lane, unit.bias);
  }
  if (m.scales == Scales::kSixBits) pack_six_bits(unit, lane, header + 64);
  if (m.scales == Scales::kSignedBytes) {
    for (int g = 0; g < m.unit_groups(); ++g) header[32 + 16 * g + lane] = unit.scales[g];
  }
  pack_codes(m.kind, unit.codes, m.unit_groups() * m.group_size,
             header + m.header_bytes() + 4 * lane);
}

}  // namespace llm_host
