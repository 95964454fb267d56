#include "weights/ggml.h"

#include <bit>
#include <cstring>

namespace llm_host {
namespace {

constexpr GgmlType kTypes[] = {{"Q4_0", 18, 4}, {"Q4_1", 20, 4}, {"Q8_0", 34, 8}};

float read_half(const uint8_t* source) {
  uint16_t half;
  std::memcpy(&half, source, sizeof half);
  return half_to_float(half);
}

// 16 bytes of ggml nibbles -> 4 words, weight i in bits 4·(i mod 8) of word i / 8.
void pack_nibbles(const uint8_t* source, uint32_t* words) {
  for (int word = 0; word < 4; ++word) {
    uint32_t packed = 0;
    for (int i = 0; i < 8; ++i) {
      int index = word * 8 + i;
      uint32_t nibble = index < 16 ? source[index] & 0xf : source[index - 16] >> 4;
      packed |= nibble << (4 * i);
    }
    words[word] = packed;
  }
}

}  // namespace

float half_to_float(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 0x1f;
  uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) {
    float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  uint32_t bits = exponent == 31 ? 0x7f800000 : (exponent + 112) << 23;
  return std::bit_cast<float>(sign | bits | mantissa << 13);
}

const GgmlType* ggml_type(std::string_view dtype) {
  for (const GgmlType& type : kTypes) {
    if (type.name == dtype) return &type;
  }
  return nullptr;
}

void repack_ggml(const GgmlType& type, const uint8_t* source, int64_t blocks, uint32_t* words,
                 float* scales, float* biases) {
  bool has_minimum = type.block_bytes == 20;
  for (int64_t b = 0; b < blocks; ++b, source += type.block_bytes) {
    float scale = read_half(source);
    scales[b] = scale;
    if (type.bits == 4) {
      biases[b] = has_minimum ? read_half(source + 2) : -8 * scale;
      pack_nibbles(source + (has_minimum ? 4 : 2), words + 4 * b);
    } else {
      biases[b] = -128 * scale;
      // int8 -> uint8 by +128 is a flip of the top bit.
      for (int word = 0; word < 8; ++word) {
        uint32_t packed;
        std::memcpy(&packed, source + 2 + 4 * word, sizeof packed);
        words[8 * b + word] = packed ^ 0x80808080;
      }
    }
  }
}

}  // namespace llm_host
