#include "kernels/packed/form/matrix.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/base/float16.h"
#include "kernels/base/thread_pool.h"
#include "kernels/packed/form/unit.h"

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

// Codes of `bits` bits, one after another from the lowest bit on; they end with a word.
void read_codes(const uint32_t* words, int bits, int count, uint8_t* codes) {
  uint64_t buffer = 0;
  for (int held = 0; count > 0; --count, held -= bits, buffer >>= bits) {
    if (held < bits) {
      buffer |= uint64_t{*words++} << held;
      held += 32;
    }
    *codes++ = static_cast<uint8_t>(buffer & ((1u << bits) - 1));
  }
}

// Words w = 0, 1, ... of rows that are `stride` words apart -> the rows' lanes of vector w.
void pack_words(const uint32_t* words, int64_t stride, int count, int rows, uint8_t* target) {
  for (int w = 0; w < count; ++w, target += 64) {
    for (int lane = 0; lane < rows; ++lane) {
      std::memcpy(target + 4 * lane, words + lane * stride + w, 4);
    }
  }
}

// A group's codes of 3, 5 or 6 bits -> the row's lane of `target`.
void pack_split_codes(const PackedMatrix& m, const uint32_t* words, uint8_t* target) {
  uint8_t codes[PackedUnit::kMaxColumns];
  read_codes(words, m.bits(), m.group_size, codes);
  pack_codes(m.kind, codes, m.group_size, target);
}

// Bytes of one of a group's scales.
int scale_bytes(Scales type) { return type == Scales::kFloat32 ? 4 : 2; }

// The scale and bias of a group, number `at` of the source.
void pack_scales(const PackedMatrix& m, const PackSource& source, int64_t at, int lane,
                 uint8_t* header) {
  uint8_t* second = header + m.header_bytes() / 2;
  if (source.byte_scales != nullptr) {
    header[lane] = source.byte_scales[at];
  } else if (source.packed_type) {
    auto size = static_cast<size_t>(scale_bytes(m.scales));
    auto copy = [&](const void* from, uint8_t* to) {
      std::memcpy(to + size * static_cast<size_t>(lane),
                  static_cast<const uint8_t*>(from) + size * static_cast<size_t>(at), size);
    };
    copy(source.scales, header);
    copy(source.biases, second);
  } else {
    put_float(m.scales, static_cast<const float*>(source.scales)[at], header, lane);
    put_float(m.scales, static_cast<const float*>(source.biases)[at], second, lane);
  }
}

struct ScaleAndBias {
  float scale, bias;
};

// Half of what the byte stands for; an exponent of 0, 2^-127, counts as 0.
float half_of_byte(Scales type, uint8_t byte) {
  uint32_t bits = byte;
  if (type == Scales::kExponents) return std::bit_cast<float>(bits << 23) * 0.5f;
  float magnitude = std::bit_cast<float>((bits & 127) << 20) * 0x1p119f;
  return byte < 128 ? magnitude : -magnitude;
}

// The scale and bias of group `group` of the unit with this header.
ScaleAndBias scale_at(const PackedMatrix& m, const uint8_t* header, int group, int lane) {
  if (m.scales == Scales::kExponents || m.scales == Scales::kFloat8) {
    float scale = half_of_byte(m.scales, header[lane]);
    return {scale, static_cast<float>(-m.zero) * scale};
  }
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

// The code of column `column` of a group; `words`: lane `lane` of its first vector. A word of low
// bits has phases · 4 columns, `phases` of them in each byte. The upper bits of the columns whose
// low bits are in byte j follow each other in byte j of the word of upper bits: by word, then by
// phase.
uint32_t code_at(Kind kind, const uint8_t* words, int column) {
  int low = PackedMatrix::low_bits(kind), upper = PackedMatrix::upper_bits(kind);
  int phases = PackedMatrix::phases(kind), lows = PackedMatrix::low_words(kind);
  auto word = [&](int index) { return read<uint32_t>(words + int64_t{64} * index, 0); };
  int index = column / (4 * phases), in_word = column % (4 * phases);
  int chunk = upper == 0 ? index : index / lows * (lows + 1), in_chunk = index % lows;
  uint32_t code = word(chunk + in_chunk) >> (low * in_word) & ((1u << low) - 1);
  if (kind == Kind::kFloat4) return PackedMatrix::kFloat4Codes[code];
  if (upper == 0) return code;
  int bit = 8 * (in_word / phases) + upper * (in_chunk * phases + in_word % phases);
  return code | (word(chunk + lows) >> bit & ((1u << upper) - 1)) << low;
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

PackSource from_row(const PackedMatrix& m, PackSource source, int64_t row) {
  auto moved = [](const void* data, int64_t bytes) -> const void* {
    return data == nullptr ? nullptr : static_cast<const uint8_t*>(data) + bytes;
  };
  int64_t groups = row * m.groups();
  int64_t scale = source.packed_type ? scale_bytes(m.scales) : 4;
  source.weight = moved(source.weight, groups * m.group_words() * 4);
  source.scales = moved(source.scales, groups * scale);
  source.biases = moved(source.biases, groups * scale);
  if (source.byte_scales != nullptr) source.byte_scales += groups;
  return source;
}

void pack_block(const PackedMatrix& m, const PackSource& source, int count, uint8_t* block) {
  if (count < kRows) std::memset(block, 0, static_cast<size_t>(m.block_bytes()));
  bool split = m.quantized() && PackedMatrix::upper_bits(m.kind) != 0;
  int64_t row_words = int64_t{m.groups()} * m.group_words();
  const auto* words = static_cast<const uint32_t*>(source.weight);
  // Group by group, so that the block is written once, in order.
  for (int g = 0; g < m.groups(); ++g, words += m.group_words(), block += m.unit_bytes()) {
    uint8_t* codes = block + m.header_bytes();
    for (int lane = 0; lane < count && m.quantized(); ++lane) {
      pack_scales(m, source, int64_t{lane} * m.groups() + g, lane, block);
      if (split) pack_split_codes(m, words + lane * row_words, codes + 4 * lane);
    }
    if (!split) pack_words(words, row_words, m.group_words(), count, codes);
  }
}

void pack(PackedMatrix& matrix, const PackSource& source, uint8_t* target) {
  parallel_for(matrix.blocks(), [&](int b) {
    int first = b * kRows;
    pack_block(matrix, from_row(matrix, source, first), std::min(kRows, matrix.rows - first),
               target + b * matrix.block_bytes());
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
