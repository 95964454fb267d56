#include "weights/ggml/ggml.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "weights/ggml/bits.h"
#include "weights/ggml/readers.h"
#include "weights/ggml/rows.h"

namespace llm_host {
namespace {

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

struct Reader {
  GgmlType type;
  void (*read)(const uint8_t* block, PackedUnit* units);
  RowPacker pack_row = nullptr;  // if there is a faster way than by `read`
};

constexpr int kFloat4Zero = PackedMatrix::kFloat4Zero;

constexpr Reader kReaders[] = {
    {{"Q4_0", 32, 18, 32, 4, Kind::kAffine4, Scales::kSymmetric, 8}, read_q4_0, pack_q4_0_row},
    {{"Q4_1", 32, 20, 32, 4, Kind::kAffine4, Scales::kFloat16}, read_q4_1, pack_q4_1_row},
    {{"Q5_0", 32, 22, 32, 8, Kind::kAffine5, Scales::kSymmetric, 16}, read_q5_0},
    {{"Q5_1", 32, 24, 32, 8, Kind::kAffine5, Scales::kFloat16}, read_q5_1},
    {{"Q8_0", 32, 34, 32, 8, Kind::kAffine8, Scales::kSymmetric, 128}, read_q8_0, pack_q8_0_row},
    {{"Q2_K", 256, 84, 32, 8, Kind::kAffine8, Scales::kFloat16}, read_q2_k},
    {{"Q3_K", 256, 110, 256, 8, Kind::kAffine6, Scales::kSignedBytes, 32}, read_q3_k},
    {{"Q4_K", 256, 144, 256, 4, Kind::kAffine4, Scales::kSixBits}, read_q4_k},
    {{"Q5_K", 256, 176, 256, 8, Kind::kAffine5, Scales::kSixBits}, read_q5_k},
    {{"Q6_K", 256, 210, 256, 8, Kind::kAffine6, Scales::kSignedBytes, 32}, read_q6_k},
    {{"IQ4_NL", 32, 18, 32, 8, Kind::kAffine8, Scales::kSymmetric, 128}, read_iq4_nl},
    {{"IQ4_XS", 256, 136, 32, 8, Kind::kAffine8, Scales::kSymmetric, 128}, read_iq4_xs},
    {{"TQ1_0", 256, 54, 32, 4, Kind::kAffine4, Scales::kSymmetric, 1}, read_tq1_0},
    {{"TQ2_0", 256, 66, 32, 4, Kind::kAffine4, Scales::kSymmetric, 1}, read_tq2_0},
    {{"MXFP4", 32, 17, 32, 4, Kind::kFloat4, Scales::kExponents, kFloat4Zero},
     read_mxfp4,
     pack_mxfp4_row},
};

// The most units that a block may become.
constexpr int kMostUnits = 8;

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

bool is_finite(const GgmlType& type, const PackedUnit& unit) {
  if (type.scales == Scales::kExponents) return unit.scales[0] != 0xff;
  return is_finite_float16(unit.scale) && is_finite_float16(unit.bias);
}

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
  PackedUnit units[kMostUnits];
  int groups = type.unit / kGgmlGroup;
  for (int64_t b = 0; b < blocks; ++b, source += type.block_bytes) {
    reader.read(source, units);
    for (int g = 0; g < type.block / kGgmlGroup; ++g, words += type.bits) {
      Group group = affine_group(type, units[g / groups], g % groups);
      pack(group.codes, type.bits, words);
      *scales++ = group.scale;
      *biases++ = group.bias;
    }
  }
}

void repack_mxfp4(const uint8_t* source, int64_t blocks, uint32_t* words, uint8_t* exponents) {
  const Reader& reader = reader_of(*ggml_type("MXFP4"));
  PackedUnit unit;
  for (int64_t b = 0; b < blocks; ++b, source += reader.type.block_bytes, words += 4) {
    reader.read(source, &unit);
    pack(unit.codes, 4, words);
    *exponents++ = unit.scales[0];
  }
}

PackedMatrix packed_layout(const GgmlType& type, int rows, int cols) {
  PackedMatrix layout;
  layout.rows = rows;
  layout.cols = cols;
  layout.group_size = type.unit / PackedMatrix::unit_groups(type.scales);
  layout.kind = type.kind;
  layout.scales = type.scales;
  layout.zero = type.zero;
  return layout;
}

int pack_ggml_row(const GgmlType& type, const uint8_t* blocks, const PackedMatrix& layout, int row,
                  uint8_t* target) {
  const Reader& reader = reader_of(type);
  int bad = -1, count = layout.cols / type.block, each = type.block / type.unit;
  uint8_t* header = row_start(layout, target, row);
  if (reader.pack_row != nullptr) {
    return reader.pack_row(blocks, count, header, row % PackedMatrix::kBlockRows);
  }
  PackedUnit units[kMostUnits];
  int64_t step = layout.unit_bytes();
  for (int b = 0; b < count; ++b, blocks += type.block_bytes) {
    reader.read(blocks, units);
    for (int u = 0; u < each; ++u, header += step) {
      if (bad < 0 && !is_finite(type, units[u])) bad = b;
      pack_unit(layout, units[u], row, header);
    }
  }
  return bad;
}

}  // namespace llm_host
