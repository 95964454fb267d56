#pragma once

#include <bit>
#include <cstdint>

namespace llm_host {

inline float bfloat16_to_float(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// IEEE 754 binary16 to float32, subnormals, infinities and NaNs included.
inline float float16_to_float(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, rest = bits & 0x7fff;
  if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  // Multiplying by 2^112 corrects the exponent bias and normalises subnormals.
  float value = std::bit_cast<float>(rest << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
}

// The nearest binary16, ties to even; infinity beyond its range.
inline uint16_t float_to_float16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
  if (bits >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);
  if (bits < 0x38800000) {
    // Adding 0.5 leaves the subnormal mantissa, rounded, in the low bits.
    float shifted = std::bit_cast<float>(bits) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
  }
  uint32_t odd = bits >> 13 & 1;
  return static_cast<uint16_t>(sign | ((bits - 0x38000000 + 0xfff + odd) >> 13));
}

}  // namespace llm_host
