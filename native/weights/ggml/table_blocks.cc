#include <initializer_list>

#include "kernels/base/float16.h"
#include "weights/ggml/bits.h"
#include "weights/ggml/readers.h"

namespace llm_host {
namespace {

// The values of the nibbles of IQ4_NL and IQ4_XS, plus 128.
constexpr uint8_t kIq4Codes[16] = {1,   24,  45,  63,  79,  93,  106, 118,
                                   129, 141, 153, 166, 181, 197, 217, 241};

void look_up(const uint8_t* nibbles, uint8_t* codes) {
  unpack_nibbles(nibbles, codes);
  for (int i = 0; i < 32; ++i) codes[i] = kIq4Codes[codes[i]];
}

// A byte holds five digits of base 3 as a fraction: digit n is that of 3^n times the byte.
uint8_t ternary(uint8_t byte, int digit) {
  constexpr uint8_t kPowers[] = {1, 3, 9, 27, 81};
  auto rest = static_cast<uint8_t>(byte * kPowers[digit]);
  return static_cast<uint8_t>(rest * 3 >> 8);
}

}  // namespace

// An exponent, 16 bytes of nibbles that are 4-bit floats: see PackedMatrix::Scales::kExponents.
void read_mxfp4(const uint8_t* block, PackedUnit* unit) {
  unit->scales[0] = block[0];
  unpack_nibbles(block + 1, unit->codes);
}

// f16 d, 16 bytes of nibbles: w = d·table[q]
void read_iq4_nl(const uint8_t* block, PackedUnit* unit) {
  unit->scale = read_bits(block);
  look_up(block + 2, unit->codes);
}

// f16 d, upper two bits of eight scales, their lower four, 128 bytes of nibbles:
// w = d·(scale − 32)·table[q], here with d·(scale − 32) in float16.
void read_iq4_xs(const uint8_t* block, PackedUnit* units) {
  float d = float16_to_float(read_bits(block));
  int upper = read_bits(block + 2);
  for (int g = 0; g < 8; ++g, ++units) {
    int scale = (block[4 + g / 2] >> (4 * (g % 2)) & 15) | (upper >> (2 * g) & 3) << 4;
    units->scale = float_to_float16(d * static_cast<float>(scale - 32));
    look_up(block + 8 + 16 * g, units->codes);
  }
}

// 48 + 4 bytes of base-3 digits, f16 d: w = d·(q − 1). The digits of 32, then of 16, then of 4
// bytes follow each other: digit 0 of all, digit 1 of all and so on.
void read_tq1_0(const uint8_t* block, PackedUnit* units) {
  uint8_t codes[256];
  int at = 0;
  struct Run {
    int first, bytes, digits;
  };
  for (Run run : {Run{0, 32, 5}, {32, 16, 5}, {48, 4, 4}}) {
    for (int digit = 0; digit < run.digits; ++digit) {
      for (int i = 0; i < run.bytes; ++i) codes[at++] = ternary(block[run.first + i], digit);
    }
  }
  for (int g = 0; g < 8; ++g, ++units) {
    units->scale = read_bits(block + 52);
    std::memcpy(units->codes, codes + 32 * g, 32);
  }
}

// 64 bytes of pairs of bits, f16 d: w = d·(q − 1)
void read_tq2_0(const uint8_t* block, PackedUnit* units) {
  for (int g = 0; g < 8; ++g, ++units) {
    units->scale = read_bits(block + 64);
    const uint8_t* bytes = block + 32 * (g / 4);
    for (int i = 0; i < 32; ++i) units->codes[i] = bytes[i] >> (2 * (g % 4)) & 3;
  }
}

}  // namespace llm_host
