#include "weights/ggml.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "kernels/packed/unit.h"

namespace llm_host {
namespace {

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

uint16_t read_bits(const uint8_t* source) {
  uint16_t bits;
  std::memcpy(&bits, source, sizeof bits);
  return bits;
}

// The readers below are compiled to vectors only if the compiler knows that a block and its codes
// do not overlap; and codes that are written byte by byte are slow to read as words.
#define RESTRICT __restrict

// Weights 0..15 in the low nibbles, 16..31 in the high ones.
void unpack_nibbles(const uint8_t* RESTRICT source, uint8_t* RESTRICT codes) {
  for (int i = 0; i < 16; ++i) codes[i] = source[i] & 0xf;
  for (int i = 0; i < 16; ++i) codes[i + 16] = source[i] >> 4;
}

// Four bytes of fifth bits, weight i at bit i.
void add_fifth_bits(const uint8_t* source, uint8_t* codes) {
  for (int i = 0; i < 4; ++i) {
    // Bit k of the byte in byte k, then moved from wherever it is there to bit 4.
    uint64_t bits = source[i] * 0x0101010101010101 & 0x8040201008040201, eight;
    bits = (bits + 0x7f7f7f7f7f7f7f7f) >> 3 & 0x1010101010101010;
    std::memcpy(&eight, codes + 8 * i, sizeof eight);
    eight |= bits;
    std::memcpy(codes + 8 * i, &eight, sizeof eight);
  }
}

// f16 d, 16 bytes of nibbles: w = d·q − 8d
void read_q4_0(const uint8_t* block, PackedUnit* unit) {
  unit->scale = read_bits(block);
  unpack_nibbles(block + 2, unit->codes);
}

// f16 d, f16 m, 16 bytes of nibbles: w = d·q + m
void read_q4_1(const uint8_t* block, PackedUnit* unit) {
  unit->scale = read_bits(block);
  unit->bias = read_bits(block + 2);
  unpack_nibbles(block + 4, unit->codes);
}

// f16 d, fifth bits, nibbles: w = d·q − 16d
void read_q5_0(const uint8_t* block, PackedUnit* unit) {
  unit->scale = read_bits(block);
  unpack_nibbles(block + 6, unit->codes);
  add_fifth_bits(block + 2, unit->codes);
}

// f16 d, f16 m, fifth bits, nibbles: w = d·q + m
void read_q5_1(const uint8_t* block, PackedUnit* unit) {
  unit->scale = read_bits(block);
  unit->bias = read_bits(block + 2);
  unpack_nibbles(block + 8, unit->codes);
  add_fifth_bits(block + 4, unit->codes);
}

// f16 d, 32 signed bytes: w = d·q, here d·(q + 128) − 128d
void read_q8_0(const uint8_t* RESTRICT block, PackedUnit* RESTRICT unit) {
  unit->scale = read_bits(block);
  for (int i = 0; i < kGgmlGroup; ++i) unit->codes[i] = block[2 + i] ^ 0x80;
}

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
  for (int pair = 0; pair < 4; ++pair, nibbles += kGgmlGroup) {
    uint8_t *low = codes + 2 * pair * kGgmlGroup, *high = low + kGgmlGroup;
    for (int i = 0; i < kGgmlGroup; ++i) low[i] = nibbles[i] & 0xf;
    for (int i = 0; i < kGgmlGroup; ++i) high[i] = nibbles[i] >> 4;
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
    uint8_t* codes = unit->codes + j * kGgmlGroup;
    for (int i = 0; i < kGgmlGroup; ++i) codes[i] |= (fifths[i] >> j & 1) << 4;
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
    for (int part = 0; part < 4; ++part, codes += kGgmlGroup) {
      const uint8_t* nibbles = low + 32 * (part % 2);
      int nibble = part < 2 ? 0 : 4, pair = 2 * part;
      for (int i = 0; i < kGgmlGroup; ++i) {
        uint8_t code = nibbles[i] >> nibble & 0xf;
        codes[i] = static_cast<uint8_t>(code | (high[i] >> pair & 3) << 4);
      }
    }
  }
}

struct Reader {
  GgmlType type;
  void (*read)(const uint8_t* block, PackedUnit* unit);
};

constexpr Reader kReaders[] = {
    {{"Q4_0", 32, 18, 4, Kind::kAffine4, Scales::kSymmetric, 8}, read_q4_0},
    {{"Q4_1", 32, 20, 4, Kind::kAffine4, Scales::kFloat16}, read_q4_1},
    {{"Q5_0", 32, 22, 8, Kind::kAffine5, Scales::kSymmetric, 16}, read_q5_0},
    {{"Q5_1", 32, 24, 8, Kind::kAffine5, Scales::kFloat16}, read_q5_1},
    {{"Q8_0", 32, 34, 8, Kind::kAffine8, Scales::kSymmetric, 128}, read_q8_0},
    {{"Q4_K", 256, 144, 4, Kind::kAffine4, Scales::kSixBits}, read_q4_k},
    {{"Q5_K", 256, 176, 8, Kind::kAffine5, Scales::kSixBits}, read_q5_k},
    {{"Q6_K", 256, 210, 8, Kind::kAffine6, Scales::kSignedBytes, 32}, read_q6_k},
};

// One affine group: w[i] = scale · codes[i] + bias.
struct Group {
  uint8_t codes[kGgmlGroup];
  float scale;
  float bias;
};

// Rounds each to the nearest of 256 steps over the range of the group.
void quantize_to_bytes(const float* w, Group* group) {
  auto [low, high] = std::minmax_element(w, w + kGgmlGroup);
  group->bias = *low;
  group->scale = (*high - *low) / 255;
  for (int i = 0; i < kGgmlGroup; ++i) {
    float code = group->scale > 0 ? (w[i] - group->bias) / group->scale : 0;
    group->codes[i] = static_cast<uint8_t>(std::lrint(std::clamp(code, 0.0f, 255.0f)));
  }
}

// The index-th 32 weights of a unit.
Group affine_group(const GgmlType& type, const PackedUnit& unit, int index) {
  Group group;
  const uint8_t* codes = unit.codes + index * kGgmlGroup;
  float d = float16_to_float(unit.scale), more = float16_to_float(unit.bias);
  if (type.scales == Scales::kSignedBytes) {
    float w[kGgmlGroup];
    for (int i = 0; i < kGgmlGroup; ++i) {
      auto scale = static_cast<int8_t>(unit.scales[2 * index + i / 16]);
      w[i] = d * static_cast<float>(scale * (codes[i] - type.zero));
    }
    quantize_to_bytes(w, &group);
    return group;
  }
  std::copy_n(codes, kGgmlGroup, group.codes);
  group.scale = d;
  group.bias = type.scales == Scales::kSymmetric ? static_cast<float>(-type.zero) * d : more;
  if (type.scales == Scales::kSixBits) {
    group.scale = d * static_cast<float>(unit.scales[index]);
    group.bias = -more * static_cast<float>(unit.minima[index]);
  }
  return group;
}

// Weight i starts at bit `bits`·i of the group's words.
void pack(const uint8_t* codes, int bits, uint32_t* words) {
  int per_word = 32 / bits;
  for (int word = 0; word < bits; ++word) {
    words[word] = 0;
    for (int i = 0; i < per_word; ++i) {
      words[word] |= static_cast<uint32_t>(codes[word * per_word + i]) << (bits * i);
    }
  }
}

const Reader& reader_of(const GgmlType& type) {
  // NOLINTNEXTLINE(clang-analyzer-security.ArrayBound): `type` is one of the table's.
  return *std::find_if(std::begin(kReaders), std::end(kReaders),
                       [&](const Reader& r) { return r.type.name == type.name; });
}

#undef RESTRICT

bool is_finite(uint16_t float16) { return (float16 & 0x7c00) != 0x7c00; }

}  // namespace

const GgmlType* ggml_type(std::string_view dtype) {
  for (const Reader& reader : kReaders) {
    if (reader.type.name == dtype) return &reader.type;
  }
  return nullptr;
}

void repack_ggml(const GgmlType& type, const uint8_t* source, int64_t blocks, uint32_t* words,
                 float* scales, float* biases) {
  const Reader& reader = reader_of(type);
  PackedUnit unit;
  for (int64_t b = 0; b < blocks; ++b, source += type.block_bytes) {
    reader.read(source, &unit);
    for (int g = 0; g < type.block / kGgmlGroup; ++g, words += type.bits) {
      Group group = affine_group(type, unit, g);
      pack(group.codes, type.bits, words);
      *scales++ = group.scale;
      *biases++ = group.bias;
    }
  }
}

PackedMatrix packed_layout(const GgmlType& type, int rows, int cols) {
  PackedMatrix layout;
  layout.rows = rows;
  layout.cols = cols;
  layout.group_size = type.block / PackedMatrix::unit_groups(type.scales);
  layout.kind = type.kind;
  layout.scales = type.scales;
  layout.zero = type.zero;
  return layout;
}

int pack_ggml_row(const GgmlType& type, const uint8_t* blocks, const PackedMatrix& layout, int row,
                  uint8_t* target) {
  const Reader& reader = reader_of(type);
  PackedUnit unit;
  int bad = -1, count = layout.cols / type.block;
  uint8_t* header = row_start(layout, target, row);
  int64_t step = layout.unit_bytes();
  for (int b = 0; b < count; ++b, blocks += type.block_bytes, header += step) {
    reader.read(blocks, &unit);
    if (bad < 0 && !(is_finite(unit.scale) && is_finite(unit.bias))) bad = b;
    pack_unit(layout, unit, row, header);
  }
  return bad;
}

}  // namespace llm_host
