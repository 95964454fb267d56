#include "kernels/packed/matrix.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/base/float16.h"
#include "kernels/base/thread_pool.h"

namespace llm_host {
namespace {

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

constexpr int kRows = PackedMatrix::kBlockRows;

template <typename T>
T read(const uint8_t* source, int index) {
  T value;
  std::memcpy(&value, source + index * sizeof value, sizeof value);
  return value;
}
template <typename T>
void write(uint8_t* target, int index, T value) {
  std::memcpy(target + index * sizeof value, &value, sizeof value);
}

float float_at(Scales type, const uint8_t* scales, int lane) {
  if (type == Scales::kFloat32) return read<float>(scales, lane);
  uint16_t bits = read<uint16_t>(scales, lane);
  return type == Scales::kBfloat16 ? bfloat16_to_float(bits) : float16_to_float(bits);
}

void put_float(Scales type, float value, uint8_t* scales, int lane) {
  if (type == Scales::kFloat32) return write(scales, lane, value);
  write(scales, lane,
        type == Scales::kFloat16 ? float_to_float16(value)
                                 : static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16));
}

void pack_row(const PackedMatrix& m, const PackSource& source, int row, uint8_t* block) {
  int lane = row % kRows, vectors = m.group_words();
  const uint32_t* words =
      static_cast<const uint32_t*>(source.weight) + int64_t{row} * m.groups() * vectors;
  for (int g = 0; g < m.groups(); ++g) {
    uint8_t* start = block + g * m.unit_bytes();
    if (m.quantized()) {
      int64_t at = static_cast<int64_t>(row) * m.groups() + g;
      put_float(m.scales, source.scales[at], start, lane);
      put_float(m.scales, source.biases[at], start + m.header_bytes() / 2, lane);
    }
    uint8_t* target = start + m.header_bytes();
    for (int w = 0; w < vectors; ++w) {
      std::memcpy(target + 64 * w + 4 * lane, words + g * vectors + w, 4);
    }
  }
}

struct ScaleAndBias {
  float scale, bias;
};

// Of group `group` of the unit whose header this is.
ScaleAndBias scale_at(const PackedMatrix& m, const uint8_t* header, int group, int lane) {
  float first = float_at(m.scales, header, lane);
  if (m.scales == Scales::kSymmetric) return {first, static_cast<float>(-m.zero) * first};
  if (m.scales == Scales::kSignedBytes) {
    float scale = first * static_cast<float>(static_cast<int8_t>(header[32 + 16 * group + lane]));
    return {scale, static_cast<float>(-m.zero) * scale};
  }
  if (m.scales != Scales::kSixBits) {
    return {first, float_at(m.scales, header + m.header_bytes() / 2, lane)};
  }
  auto four_bits = [&](int word) {
    return read<uint32_t>(header + 64 + 64 * word, lane) >> (4 * group) & 15;
  };
  uint32_t upper = four_bits(2);
  auto scale = static_cast<float>(four_bits(0) | (upper & 3) << 4);
  auto minimum = static_cast<float>(four_bits(1) | (upper & 12) << 2);
  return {first * scale, -(float16_to_float(read<uint16_t>(header + 32, lane)) * minimum)};
}

// Bits of a code beyond its low nibble.
int upper_bits(Kind kind) { return kind == Kind::kAffine5 ? 1 : kind == Kind::kAffine6 ? 2 : 0; }
// Words of low nibbles before a word of upper bits.
int low_words(Kind kind) { return 4 / upper_bits(kind); }

// The code of column `column` of a group; `words`: lane `lane` of its first vector.
uint32_t code_at(Kind kind, const uint8_t* words, int column) {
  auto word = [&](int index) { return read<uint32_t>(words + int64_t{64} * index, 0); };
  if (kind == Kind::kAffine8) return word(column / 4) >> (8 * (column % 4)) & 255;
  int chunk = 0, low = column / 8, upper = upper_bits(kind);
  if (upper != 0) {
    chunk = low / low_words(kind) * (low_words(kind) + 1);
    low %= low_words(kind);
  }
  uint32_t code = word(chunk + low) >> (4 * (column % 8)) & 15;
  if (upper == 0) return code;
  int k = 2 * low + column % 2, byte = column % 8 / 2;
  uint32_t mask = (1u << upper) - 1;
  return code | (word(chunk + low_words(kind)) >> (8 * byte + upper * k) & mask) << 4;
}

void unpack_dense(const PackedMatrix& m, const uint8_t* words, float* out) {
  for (int c = 0; c < m.cols; ++c) {
    uint16_t value = read<uint16_t>(words + int64_t{64} * (c / 2), c % 2);
    out[c] = m.kind == Kind::kBfloat16 ? bfloat16_to_float(value) : float16_to_float(value);
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
  return bfloat16 ? Scales::kBfloat16 : float16 ? Scales::kFloat16 : Scales::kFloat32;
}

void pack(PackedMatrix& matrix, const PackSource& source, uint8_t* target) {
  parallel_for(matrix.blocks(), [&](int b) {
    uint8_t* block = target + b * matrix.block_bytes();
    int begin = b * kRows, end = std::min(matrix.rows, begin + kRows);
    if (end - begin < kRows) std::memset(block, 0, static_cast<size_t>(matrix.block_bytes()));
    for (int row = begin; row < end; ++row) pack_row(matrix, source, row, block);
  });
  matrix.data = target;
}

void unpack_row(const PackedMatrix& m, int row, float* out) {
  int lane = row % kRows;
  const uint8_t* block = m.data + row / kRows * m.block_bytes();
  if (!m.quantized()) return unpack_dense(m, block + 4 * lane, out);
  for (int g = 0; g < m.groups(); ++g) {
    const uint8_t* header = block + g / m.unit_groups() * m.unit_bytes();
    int in_unit = g % m.unit_groups();
    auto [scale, bias] = scale_at(m, header, in_unit, lane);
    const uint8_t* words = header + m.header_bytes() + in_unit * m.group_bytes() + 4 * lane;
    for (int c = 0; c < m.group_size; ++c) {
      *out++ = scale * static_cast<float>(code_at(m.kind, words, c)) + bias;
    }
  }
}

}  // namespace llm_host
