#include "weights/ggml/ggml.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "check.h"

namespace llm_host::ggml_test {

static const check::Suite suite("ggml");

namespace {

constexpr int kBlocks = 50;

float half_at(const uint8_t* block, int offset) {
  uint16_t half;
  std::memcpy(&half, block + offset, 2);
  return float16_to_float(half);
}

// Random blocks; the float16 values at `offsets` are finite and of ordinary size.
std::vector<uint8_t> random_blocks(const GgmlType& type, const std::vector<int>& offsets) {
  std::mt19937 random(7);
  std::vector<uint8_t> bytes(static_cast<size_t>(type.block_bytes) * kBlocks);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  for (int b = 0; b < kBlocks; ++b) {
    for (int at : offsets) {
      uint8_t& high = bytes[static_cast<size_t>(b) * type.block_bytes + at + 1];
      high = static_cast<uint8_t>((high & 0x83) | 0x2c);
    }
  }
  return bytes;
}

int nibble(const uint8_t* bytes, int i) { return i < 16 ? bytes[i] & 0xf : bytes[i - 16] >> 4; }
int fifth_bit(const uint8_t* bytes, int i) { return (bytes[i / 8] >> (i % 8) & 1) << 4; }

// Weight i of a block by ggml's own formulas.
float q4_0(const uint8_t* b, int i) { return half_at(b, 0) * (nibble(b + 2, i) - 8); }
float q4_1(const uint8_t* b, int i) { return half_at(b, 0) * nibble(b + 4, i) + half_at(b, 2); }
float q5_0(const uint8_t* b, int i) {
  return half_at(b, 0) * ((nibble(b + 6, i) | fifth_bit(b + 2, i)) - 16);
}
float q5_1(const uint8_t* b, int i) {
  return half_at(b, 0) * (nibble(b + 8, i) | fifth_bit(b + 4, i)) + half_at(b, 2);
}
float q8_0(const uint8_t* b, int i) { return half_at(b, 0) * static_cast<int8_t>(b[2 + i]); }

float k_weight(const uint8_t* b, int i, int q) {
  int g = i / 32;
  const uint8_t* s = b + 4;
  int scale = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | (s[g - 4] >> 6) << 4;
  int minimum = g < 4 ? s[g + 4] & 63 : s[g + 4] >> 4 | (s[g] >> 6) << 4;
  return half_at(b, 0) * scale * q - half_at(b, 2) * minimum;
}
int k_nibble(const uint8_t* nibbles, int i) {
  uint8_t byte = nibbles[i / 64 * 32 + i % 32];
  return i % 64 < 32 ? byte & 15 : byte >> 4;
}
float q4_k(const uint8_t* b, int i) { return k_weight(b, i, k_nibble(b + 16, i)); }
float q5_k(const uint8_t* b, int i) {
  return k_weight(b, i, k_nibble(b + 48, i) | (b[16 + i % 32] >> (i / 32) & 1) << 4);
}
float q6_k(const uint8_t* b, int i) {
  int half = i / 128, part = i % 128 / 32, at = i % 32;
  int low = b[64 * half + 32 * (part % 2) + at] >> (part < 2 ? 0 : 4) & 15;
  int high = b[128 + 32 * half + at] >> (2 * part) & 3;
  return half_at(b, 208) * static_cast<int8_t>(b[192 + i / 16]) * ((low | high << 4) - 32);
}

float q2_k(const uint8_t* b, int i) {
  int q = b[16 + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
  return half_at(b, 80) * static_cast<float>(b[i / 16] & 15) * static_cast<float>(q) -
         half_at(b, 82) * static_cast<float>(b[i / 16] >> 4);
}
float q3_k(const uint8_t* b, int i) {
  int g = i / 16, q = b[32 + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
  if ((b[i % 32] & 1 << (i / 32)) == 0) q -= 4;
  const uint8_t* s = b + 96;
  int low = g < 8 ? s[g] & 15 : s[g - 8] >> 4, high = s[8 + g % 4] >> (g / 4 * 2) & 3;
  return half_at(b, 108) * static_cast<float>((low | high << 4) - 32) * static_cast<float>(q);
}

constexpr int kIq4[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
float iq4_nl(const uint8_t* b, int i) {
  return half_at(b, 0) * static_cast<float>(kIq4[nibble(b + 2, i)]);
}
float iq4_xs(const uint8_t* b, int i) {
  int g = i / 32, upper = b[2] | b[3] << 8;
  int scale = (b[4 + g / 2] >> (g % 2 * 4) & 15) | (upper >> (2 * g) & 3) << 4;
  float factor = half_at(b, 0) * static_cast<float>(scale - 32);
  return factor * static_cast<float>(kIq4[nibble(b + 8 + 16 * g, i % 32)]);
}

// Digit n, of five, of a byte that is a fraction of base 3.
int digit_of(int byte, int n) {
  for (; n > 0; --n) byte = byte * 3 & 255;
  return byte * 3 >> 8;
}
float tq1_0(const uint8_t* b, int i) {
  int q = i < 160   ? digit_of(b[i % 32], i / 32)
          : i < 240 ? digit_of(b[32 + i % 16], (i - 160) / 16)
                    : digit_of(b[48 + i % 4], (i - 240) / 4);
  return half_at(b, 52) * static_cast<float>(q - 1);
}
float tq2_0(const uint8_t* b, int i) {
  return half_at(b, 64) *
         static_cast<float>((b[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3) - 1);
}
float mxfp4(const uint8_t* b, int i) {
  constexpr float kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  int code = nibble(b + 1, i);
  return std::ldexp(code < 8 ? kValues[code] : -kValues[code - 8], b[0] - 127);
}

// `tolerance` in steps of a group's codes.
void check_type(const char* name, float (*formula)(const uint8_t*, int),
                const std::vector<int>& offsets, double tolerance = 1e-4) {
  const GgmlType& type = *ggml_type(name);
  std::vector<uint8_t> source = random_blocks(type, offsets);
  int weights = kBlocks * type.block, groups = weights / kGgmlGroup;
  std::vector<uint32_t> words(static_cast<size_t>(groups) * type.bits);
  std::vector<float> scales(groups), biases(groups);
  repack_ggml(type, source.data(), kBlocks, words.data(), scales.data(), biases.data());
  int per_word = 32 / type.bits;
  for (int i = 0; i < weights; ++i) {
    uint32_t q = words[i / per_word] >> (type.bits * (i % per_word)) & ((1u << type.bits) - 1);
    float expected = formula(source.data() + i / type.block * type.block_bytes, i % type.block);
    int g = i / kGgmlGroup;
    CHECK_NEAR(scales[g] * static_cast<float>(q) + biases[g], expected,
               tolerance * std::abs(scales[g]) + 1e-6);
  }
}

// The packed form holds the formula's values, Q6_K's too. `tolerance`: relative to the largest.
void check_packed(const char* name, float (*formula)(const uint8_t*, int),
                  const std::vector<int>& offsets, double tolerance = 0) {
  const GgmlType& type = *ggml_type(name);
  std::vector<uint8_t> source = random_blocks(type, offsets);
  constexpr int kBlocksInRow = 2, kRows = kBlocks / kBlocksInRow;
  int cols = kBlocksInRow * type.block;
  PackedMatrix layout = packed_layout(type, kRows, cols);
  std::vector<uint8_t> memory(static_cast<size_t>(layout.bytes()));
  layout.data = memory.data();
  std::vector<float> row(static_cast<size_t>(cols));
  for (int r = 0; r < kRows; ++r) {
    const uint8_t* blocks = source.data() + r * kBlocksInRow * type.block_bytes;
    CHECK(pack_ggml_row(type, blocks, layout, r, memory.data()) == -1);
    unpack_row(layout, r, row.data());
    float largest = 0;
    for (float value : row) largest = std::max(largest, std::abs(value));
    for (int c = 0; c < cols; ++c) {
      float expected = formula(blocks + c / type.block * type.block_bytes, c % type.block);
      double near = 1e-5 * std::abs(expected) + 1e-4 + tolerance * largest;
      CHECK_NEAR(row[static_cast<size_t>(c)], expected, near);
    }
  }
}

}  // namespace

TEST(packed_blocks_equal_the_formula) {
  check_packed("Q4_0", q4_0, {0});
  check_packed("Q4_1", q4_1, {0, 2});
  check_packed("Q5_0", q5_0, {0});
  check_packed("Q5_1", q5_1, {0, 2});
  check_packed("Q8_0", q8_0, {0});
  check_packed("Q4_K", q4_k, {0, 2});
  check_packed("Q5_K", q5_k, {0, 2});
  check_packed("Q6_K", q6_k, {208});
  check_packed("Q3_K", q3_k, {108});
  check_packed("IQ4_NL", iq4_nl, {0});
  check_packed("TQ1_0", tq1_0, {52});
  check_packed("TQ2_0", tq2_0, {64});
}

TEST(packed_blocks_are_near_the_formula_where_scales_or_weights_are_rounded) {
  check_packed("IQ4_XS", iq4_xs, {0}, 0x1p-11);
  // Three quarters of a step of 1/255 of the range.
  check_packed("Q2_K", q2_k, {80, 82}, 0.003);
}

TEST(blocks_of_mxfp4_keep_their_values) {
  const GgmlType& type = *ggml_type("MXFP4");
  std::vector<uint8_t> source = random_blocks(type, {});
  // Exponents of ordinary size.
  for (int b = 0; b < kBlocks; ++b) {
    uint8_t& exponent = source[static_cast<size_t>(b) * type.block_bytes];
    exponent = static_cast<uint8_t>(120 + exponent % 16);
  }
  PackedMatrix layout = packed_layout(type, 1, kBlocks * type.block);
  std::vector<uint8_t> memory(static_cast<size_t>(layout.bytes()));
  CHECK(pack_ggml_row(type, source.data(), layout, 0, memory.data()) == -1);
  layout.data = memory.data();
  std::vector<float> row(static_cast<size_t>(layout.cols));
  unpack_row(layout, 0, row.data());
  std::vector<uint32_t> words(static_cast<size_t>(kBlocks) * 4);
  std::vector<uint8_t> exponents(kBlocks);
  repack_mxfp4(source.data(), kBlocks, words.data(), exponents.data());
  for (int c = 0; c < layout.cols; ++c) {
    const uint8_t* block = source.data() + c / 32 * type.block_bytes;
    CHECK(row[static_cast<size_t>(c)] == mxfp4(block, c % 32));
    int code = static_cast<int>(words[static_cast<size_t>(c / 8)] >> (4 * (c % 8)) & 15);
    CHECK(code == nibble(block + 1, c % 32));
    CHECK(exponents[static_cast<size_t>(c / 32)] == block[0]);
  }
}

TEST(an_exponent_that_is_not_a_number_is_found) {
  const GgmlType& type = *ggml_type("MXFP4");
  std::vector<uint8_t> blocks(static_cast<size_t>(3) * type.block_bytes);
  blocks[static_cast<size_t>(type.block_bytes)] = 0xff;
  blocks[static_cast<size_t>(2) * type.block_bytes] = 0xff;
  PackedMatrix layout = packed_layout(type, 1, 3 * type.block);
  std::vector<uint8_t> memory(static_cast<size_t>(layout.bytes()));
  CHECK(pack_ggml_row(type, blocks.data(), layout, 0, memory.data()) == 1);
}

TEST(a_scale_that_is_not_finite_is_found) {
  for (auto [name, offset] : {std::pair{"Q4_0", 0},
                              {"Q4_1", 0},
                              {"Q4_1", 2},
                              {"Q8_0", 0},
                              {"Q5_1", 2},
                              {"Q4_K", 2},
                              {"Q6_K", 208},
                              {"Q2_K", 82},
                              {"Q3_K", 108},
                              {"IQ4_NL", 0},
                              {"IQ4_XS", 0},
                              {"TQ1_0", 52},
                              {"TQ2_0", 64}}) {
    const GgmlType& type = *ggml_type(name);
    std::vector<uint8_t> blocks(static_cast<size_t>(3) * type.block_bytes);
    for (uint16_t bits : {uint16_t{0x7c00}, uint16_t{0xfe00}}) {
      std::memcpy(blocks.data() + 2 * type.block_bytes + offset, &bits, 2);
      PackedMatrix layout = packed_layout(type, 1, 3 * type.block);
      std::vector<uint8_t> memory(static_cast<size_t>(layout.bytes()));
      CHECK(pack_ggml_row(type, blocks.data(), layout, 0, memory.data()) == 2);
    }
  }
}

TEST(repacked_q4_0_equals_the_formula) { check_type("Q4_0", q4_0, {0}); }
TEST(repacked_q4_1_equals_the_formula) { check_type("Q4_1", q4_1, {0, 2}); }
TEST(repacked_q5_0_equals_the_formula) { check_type("Q5_0", q5_0, {0}); }
TEST(repacked_q5_1_equals_the_formula) { check_type("Q5_1", q5_1, {0, 2}); }
TEST(repacked_q8_0_equals_the_formula) { check_type("Q8_0", q8_0, {0}); }
TEST(repacked_q4_k_equals_the_formula) { check_type("Q4_K", q4_k, {0, 2}, 1e-3); }
TEST(repacked_q5_k_equals_the_formula) { check_type("Q5_K", q5_k, {0, 2}, 1e-3); }
TEST(repacked_q6_k_is_within_half_a_step) { check_type("Q6_K", q6_k, {208}, 0.501); }

TEST(repacked_q3_k_is_within_half_a_step) { check_type("Q3_K", q3_k, {108}, 0.501); }
TEST(repacked_q2_k_is_within_a_step) { check_type("Q2_K", q2_k, {80, 82}, 0.8); }
TEST(repacked_iq4_nl_equals_the_formula) { check_type("IQ4_NL", iq4_nl, {0}); }
TEST(repacked_iq4_xs_is_near_the_formula) { check_type("IQ4_XS", iq4_xs, {0}, 0.1); }
TEST(repacked_ternary_blocks_equal_the_formula) {
  check_type("TQ1_0", tq1_0, {52});
  check_type("TQ2_0", tq2_0, {64});
}

TEST(unknown_types_are_not_found) {
  CHECK(ggml_type("IQ2_XXS") == nullptr);
  CHECK(ggml_type("") == nullptr);
}

TEST(halves_convert_exactly) {
  CHECK(float16_to_float(0x3c00) == 1.0f);
  CHECK(float16_to_float(0xc000) == -2.0f);
  CHECK(float16_to_float(0x0001) == 0x1p-24f);
  CHECK(float16_to_float(0x8000) == 0.0f);
  CHECK(std::isinf(float16_to_float(0x7c00)));
  CHECK(std::isnan(float16_to_float(0x7e00)));
}

}  // namespace llm_host::ggml_test
