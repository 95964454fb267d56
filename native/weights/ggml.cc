#include "weights/ggml.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

namespace llm_host {
namespace {

// One affine group: w[i] = scale · codes[i] + bias.
struct Group {
  uint8_t codes[kGgmlGroup];
  float scale;
  float bias;
};

float read_half(const uint8_t* source) {
  uint16_t half;
  std::memcpy(&half, source, sizeof half);
  return float16_to_float(half);
}

// Weights 0..15 in the low nibbles, 16..31 in the high ones.
void unpack_nibbles(const uint8_t* source, uint8_t* codes) {
  for (int i = 0; i < 16; ++i) {
    codes[i] = source[i] & 0xf;
    codes[i + 16] = source[i] >> 4;
  }
}

// Four bytes of fifth bits, weight i at bit i.
void add_fifth_bits(const uint8_t* source, uint8_t* codes) {
  uint32_t bits;
  std::memcpy(&bits, source, sizeof bits);
  for (int i = 0; i < kGgmlGroup; ++i) codes[i] |= (bits >> i & 1) << 4;
}

// f16 d, 16 bytes of nibbles: w = d·q − 8d
void read_q4_0(const uint8_t* block, Group* group) {
  unpack_nibbles(block + 2, group->codes);
  group->scale = read_half(block);
  group->bias = -8 * group->scale;
}

// f16 d, f16 m, 16 bytes of nibbles: w = d·q + m
void read_q4_1(const uint8_t* block, Group* group) {
  unpack_nibbles(block + 4, group->codes);
  group->scale = read_half(block);
  group->bias = read_half(block + 2);
}

// f16 d, fifth bits, nibbles: w = d·q − 16d
void read_q5_0(const uint8_t* block, Group* group) {
  unpack_nibbles(block + 6, group->codes);
  add_fifth_bits(block + 2, group->codes);
  group->scale = read_half(block);
  group->bias = -16 * group->scale;
}

// f16 d, f16 m, fifth bits, nibbles: w = d·q + m
void read_q5_1(const uint8_t* block, Group* group) {
  unpack_nibbles(block + 8, group->codes);
  add_fifth_bits(block + 4, group->codes);
  group->scale = read_half(block);
  group->bias = read_half(block + 2);
}

// f16 d, 32 signed bytes: w = d·q
void read_q8_0(const uint8_t* block, Group* group) {
  for (int i = 0; i < kGgmlGroup; ++i) group->codes[i] = block[2 + i] ^ 0x80;  // + 128
  group->scale = read_half(block);
  group->bias = -128 * group->scale;
}

// Scale and minimum of group j, six bits each: twelve bytes hold eight of both.
void read_scale_min(const uint8_t* packed, int j, int* scale, int* minimum) {
  if (j < 4) {
    *scale = packed[j] & 63;
    *minimum = packed[j + 4] & 63;
  } else {
    *scale = (packed[j + 4] & 0xf) | (packed[j - 4] >> 6) << 4;
    *minimum = packed[j + 4] >> 4 | (packed[j] >> 6) << 4;
  }
}

// f16 d, f16 dmin, scales and minima, (fifth bits,) nibbles: w = d·scale·q − dmin·minimum. Groups
// 2j and 2j + 1 are the low and the high nibbles of the same 32 bytes.
void read_k_nibbles(const uint8_t* block, const uint8_t* fifths, const uint8_t* nibbles,
                    Group* groups) {
  float d = read_half(block), dmin = read_half(block + 2);
  for (int j = 0; j < 8; ++j) {
    int scale, minimum;
    read_scale_min(block + 4, j, &scale, &minimum);
    groups[j].scale = d * static_cast<float>(scale);
    groups[j].bias = -dmin * static_cast<float>(minimum);
    for (int i = 0; i < kGgmlGroup; ++i) {
      int code = nibbles[32 * (j / 2) + i] >> (4 * (j % 2)) & 0xf;
      if (fifths != nullptr) code |= (fifths[i] >> j & 1) << 4;
      groups[j].codes[i] = static_cast<uint8_t>(code);
    }
  }
}

void read_q4_k(const uint8_t* block, Group* groups) {
  read_k_nibbles(block, nullptr, block + 16, groups);
}
void read_q5_k(const uint8_t* block, Group* groups) {
  read_k_nibbles(block, block + 16, block + 48, groups);
}

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

// 128 low nibbles, 64 bytes of upper pairs of bits, 16 signed scales of 16 weights each, f16 d:
// w = d·scale·(q − 32)
void read_q6_k(const uint8_t* block, Group* groups) {
  float d = read_half(block + 208);
  for (int g = 0; g < 8; ++g) {
    const uint8_t* low = block + 64 * (g / 4) + 32 * (g % 2);
    const uint8_t* high = block + 128 + 32 * (g / 4);
    float w[kGgmlGroup];
    for (int i = 0; i < kGgmlGroup; ++i) {
      int q = (low[i] >> (g % 4 < 2 ? 0 : 4) & 0xf) | (high[i] >> (2 * (g % 4)) & 3) << 4;
      auto scale = static_cast<int8_t>(block[192 + 2 * g + i / 16]);
      w[i] = d * static_cast<float>(scale * (q - 32));
    }
    quantize_to_bytes(w, &groups[g]);
  }
}

struct Reader {
  GgmlType type;
  void (*read)(const uint8_t* block, Group* groups);
};

constexpr Reader kReaders[] = {
    {{"Q4_0", 32, 18, 4}, read_q4_0},   {{"Q4_1", 32, 20, 4}, read_q4_1},
    {{"Q5_0", 32, 22, 8}, read_q5_0},   {{"Q5_1", 32, 24, 8}, read_q5_1},
    {{"Q8_0", 32, 34, 8}, read_q8_0},   {{"Q4_K", 256, 144, 4}, read_q4_k},
    {{"Q5_K", 256, 176, 8}, read_q5_k}, {{"Q6_K", 256, 210, 8}, read_q6_k},
};

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

}  // namespace

const GgmlType* ggml_type(std::string_view dtype) {
  for (const Reader& reader : kReaders) {
    if (reader.type.name == dtype) return &reader.type;
  }
  return nullptr;
}

void repack_ggml(const GgmlType& type, const uint8_t* source, int64_t blocks, uint32_t* words,
                 float* scales, float* biases) {
  auto reader = std::find_if(std::begin(kReaders), std::end(kReaders),
                             [&](const Reader& r) { return r.type.name == type.name; });
  for (int64_t b = 0; b < blocks; ++b, source += type.block_bytes) {
    Group groups[8];
    // NOLINTNEXTLINE(clang-analyzer-security.ArrayBound): `type` is one of the table's.
    reader->read(source, groups);
    for (int g = 0; g < type.block / kGgmlGroup; ++g, words += type.bits) {
      pack(groups[g].codes, type.bits, words);
      *scales++ = groups[g].scale;
      *biases++ = groups[g].bias;
    }
  }
}

}  // namespace llm_host
