#include <algorithm>
#include <cmath>

#include "kernels/base/float16.h"
#include "weights/ggml/bits.h"
#include "weights/ggml/readers.h"

namespace llm_host {
namespace {

constexpr int kGroup = 32;

// Scale and minimum of group j, six bits each: twelve bytes hold eight of both.
void read_scale_min(const uint8_t* packed, int j, PackedUnit* unit) {
  int scale = packed[j] & 63, minimum = packed[j + 4] & 63;
  if (j >= 4) {
    scale = (packed[j + 4] & 0xf) | (packed[j - 4] >> 6) << 4;
    minimum = packed[j + 4] >> 4 | (packed[j] >> 6) << 4;
  }
  unit->scales[j] = static_cast<uint8_t>(scale);
  unit->minima[j] = static_cast<uint8_t>(minimum);
}

// f16 d, f16 dmin, scales and minima: w = d·scale·q − dmin·minimum
void read_k_scales(const uint8_t* block, PackedUnit* unit) {
  unit->scale = read_bits(block);
  unit->bias = read_bits(block + 2);
  for (int j = 0; j < 8; ++j) read_scale_min(block + 4, j, unit);
}

// Groups 2j and 2j + 1 are the low and the high nibbles of the same 32 bytes.
void read_k_nibbles(const uint8_t* RESTRICT nibbles, uint8_t* RESTRICT codes) {
  for (int pair = 0; pair < 4; ++pair, nibbles += kGroup) {
    uint8_t *low = codes + 2 * pair * kGroup, *high = low + kGroup;
    for (int i = 0; i < kGroup; ++i) low[i] = nibbles[i] & 0xf;
    for (int i = 0; i < kGroup; ++i) high[i] = nibbles[i] >> 4;
  }
}

// Weight i of 256: bits 2j and 2j + 1 of byte i % 32 of its half, where j = i % 128 / 32.
int two_bits(const uint8_t* source, int i) {
  return source[32 * (i / 128) + i % 32] >> (2 * (i % 128 / 32)) & 3;
}

// 8-bit codes with this range: the nearest to each of 32 weights.
void round_to_bytes(const float* w, PackedUnit* unit) {
  auto [low, high] = std::minmax_element(w, w + kGroup);
  unit->bias = float_to_float16(*low);
  unit->scale = float_to_float16((*high - *low) / 255);
  float bias = float16_to_float(unit->bias), scale = float16_to_float(unit->scale);
  for (int i = 0; i < kGroup; ++i) {
    float code = scale > 0 ? (w[i] - bias) / scale : 0;
    unit->codes[i] = static_cast<uint8_t>(std::lrint(std::clamp(code, 0.0f, 255.0f)));
  }
}

}  // namespace

// 16 bytes of scales and minima of 16 weights each, 64 of pairs of bits, f16 d, f16 dmin:
// w = d·scale·q − dmin·minimum. Groups with a minimum have 32 weights here: rounded to 8 bits.
void read_q2_k(const uint8_t* block, PackedUnit* units) {
  float d = float16_to_float(read_bits(block + 80)), dmin = float16_to_float(read_bits(block + 82));
  for (int first = 0; first < 256; first += kGroup, ++units) {
    float w[kGroup];
    for (int i = 0; i < kGroup; ++i) {
      uint8_t both = block[(first + i) / 16];
      auto code = static_cast<float>(two_bits(block + 16, first + i));
      w[i] = d * static_cast<float>(both & 15) * code - dmin * static_cast<float>(both >> 4);
    }
    if (std::isfinite(d) && std::isfinite(dmin)) {
      round_to_bytes(w, units);
    } else {
      *units = {};
      units->scale = read_bits(block + 80);
      units->bias = read_bits(block + 82);
    }
  }
}

// 32 bytes of third bits, 64 of pairs of bits, 16 scales of 6 bits for 16 weights each, f16 d:
// w = d·(scale − 32)·(q − 4), here with codes q − 4 + 32.
void read_q3_k(const uint8_t* RESTRICT block, PackedUnit* RESTRICT unit) {
  const uint8_t *pairs = block + 32, *scales = block + 96;
  unit->scale = read_bits(block + 108);
  for (int g = 0; g < 16; ++g) {
    int low = g < 8 ? scales[g] & 15 : scales[g - 8] >> 4;
    int high = scales[8 + g % 4] >> (2 * (g / 4)) & 3;
    unit->scales[g] = static_cast<uint8_t>((low | high << 4) - 32);
  }
  for (int i = 0; i < 256; ++i) {
    int third = block[i % 32] >> (i / 32) & 1;
    unit->codes[i] = static_cast<uint8_t>((two_bits(pairs, i) | third << 2) + 28);
  }
}

void read_q4_k(const uint8_t* block, PackedUnit* unit) {
  read_k_scales(block, unit);
  read_k_nibbles(block + 16, unit->codes);
}

// Bit j of fifth-bit byte i belongs to weight i of group j.
void read_q5_k(const uint8_t* RESTRICT block, PackedUnit* RESTRICT unit) {
  read_k_scales(block, unit);
  read_k_nibbles(block + 48, unit->codes);
  const uint8_t* fifths = block + 16;
  for (int j = 0; j < 8; ++j) {
    uint8_t* codes = unit->codes + j * kGroup;
    for (int i = 0; i < kGroup; ++i) codes[i] |= (fifths[i] >> j & 1) << 4;
  }
}

// 128 low nibbles, 64 bytes of upper pairs of bits, 16 signed scales of 16 weights each, f16 d:
// w = d·scale·(q − 32)
void read_q6_k(const uint8_t* RESTRICT block, PackedUnit* RESTRICT unit) {
  unit->scale = read_bits(block + 208);
  std::memcpy(unit->scales, block + 192, 16);
  for (int half = 0; half < 2; ++half) {
    const uint8_t *low = block + 64 * half, *high = block + 128 + 32 * half;
    uint8_t* codes = unit->codes + 128 * half;
    for (int part = 0; part < 4; ++part, codes += kGroup) {
      const uint8_t* nibbles = low + 32 * (part % 2);
      int nibble = part < 2 ? 0 : 4, pair = 2 * part;
      for (int i = 0; i < kGroup; ++i) {
        uint8_t code = nibbles[i] >> nibble & 0xf;
        codes[i] = static_cast<uint8_t>(code | (high[i] >> pair & 3) << 4);
      }
    }
  }
}

}  // namespace llm_host
