#include "kernels/packed/matrix.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/base/float16.h"
#include "kernels/base/thread_pool.h"

namespace llm_host {
namespace {

float scale_at(PackedMatrix::Scales type, const uint8_t* scales, int lane) {
  if (type == PackedMatrix::Scales::kFloat32) {
    float value;
    std::memcpy(&value, scales + 4 * lane, 4);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, scales + 2 * lane, 2);
  return type == PackedMatrix::Scales::kFloat16 ? float16_to_float(bits) : bfloat16_to_float(bits);
}

void put_scale(PackedMatrix::Scales type, float value, uint8_t* scales, int lane) {
  if (type == PackedMatrix::Scales::kFloat32) {
    std::memcpy(scales + 4 * lane, &value, 4);
    return;
  }
  uint16_t bits = type == PackedMatrix::Scales::kFloat16
                      ? float_to_float16(value)
                      : static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
  std::memcpy(scales + 2 * lane, &bits, 2);
}

void pack_row(const PackedMatrix& m, const PackSource& source, int row, uint8_t* block) {
  int lane = row % PackedMatrix::kBlockRows;
  int64_t row_words = m.cols / m.weights_per_word();
  const uint32_t* words = static_cast<const uint32_t*>(source.weight) + row * row_words;
  for (int g = 0; g < m.groups(); ++g) {
    uint8_t* start = block + g * m.group_bytes();
    if (m.quantized()) {
      int64_t at = static_cast<int64_t>(row) * m.groups() + g;
      put_scale(m.scales, source.scales[at], start, lane);
      put_scale(m.scales, source.biases[at], start + m.scale_bytes(), lane);
    }
    uint8_t* target = start + 2 * m.scale_bytes();
    for (int w = 0; w < m.group_words(); ++w) {
      uint32_t word = words[g * m.group_words() + w];
      std::memcpy(target + 64 * w + 4 * lane, &word, 4);
    }
  }
}

}  // namespace

PackedMatrix::Scales smallest_scales(const float* scales, const float* biases, int64_t count) {
  bool bfloat16 = true, float16 = true;
  for (const float* values : {scales, biases}) {
    for (int64_t i = 0; i < count && (bfloat16 || float16); ++i) {
      bfloat16 = bfloat16 && (std::bit_cast<uint32_t>(values[i]) & 0xffff) == 0;
      float16 = float16 && float16_to_float(float_to_float16(values[i])) == values[i];
    }
  }
  return bfloat16  ? PackedMatrix::Scales::kBfloat16
         : float16 ? PackedMatrix::Scales::kFloat16
                   : PackedMatrix::Scales::kFloat32;
}

void pack(PackedMatrix& matrix, const PackSource& source, uint8_t* target) {
  parallel_for(matrix.blocks(), [&](int b) {
    uint8_t* block = target + b * matrix.block_bytes();
    int begin = b * PackedMatrix::kBlockRows;
    int end = std::min(matrix.rows, begin + PackedMatrix::kBlockRows);
    if (end - begin < PackedMatrix::kBlockRows) {
      std::memset(block, 0, static_cast<size_t>(matrix.block_bytes()));
    }
    for (int row = begin; row < end; ++row) pack_row(matrix, source, row, block);
  });
  matrix.data = target;
}

void unpack_row(const PackedMatrix& m, int row, float* out) {
  int lane = row % PackedMatrix::kBlockRows, per_word = m.weights_per_word();
  const uint8_t* block = m.data + row / PackedMatrix::kBlockRows * m.block_bytes();
  int bits = 32 / per_word;
  uint32_t mask = bits == 16 ? 0xffff : (1u << bits) - 1;
  for (int g = 0; g < m.groups(); ++g) {
    const uint8_t* start = block + g * m.group_bytes();
    float scale = 1, bias = 0;
    if (m.quantized()) {
      scale = scale_at(m.scales, start, lane);
      bias = scale_at(m.scales, start + m.scale_bytes(), lane);
    }
    const uint8_t* words = start + 2 * m.scale_bytes() + 4 * lane;
    for (int w = 0; w < m.group_words(); ++w) {
      uint32_t word;
      std::memcpy(&word, words + 64 * w, 4);
      for (int i = 0; i < per_word; ++i) {
        uint32_t q = word >> (i * bits) & mask;
        float value =
            m.kind == PackedMatrix::Kind::kBfloat16  ? bfloat16_to_float(static_cast<uint16_t>(q))
            : m.kind == PackedMatrix::Kind::kFloat16 ? float16_to_float(static_cast<uint16_t>(q))
                                                     : scale * static_cast<float>(q) + bias;
        *out++ = value;
      }
    }
  }
}

}  // namespace llm_host
