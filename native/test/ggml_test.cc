#include "weights/ggml.h"

#include <cstring>
#include <random>
#include <vector>

#include "check.h"

using namespace llm_host;

namespace {

constexpr int kBlocks = 50;

// Random blocks whose scales are ordinary halves (no infinities).
std::vector<uint8_t> random_blocks(const GgmlType& type) {
  std::mt19937 random(7);
  std::vector<uint8_t> bytes(static_cast<size_t>(type.block_bytes) * kBlocks);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  for (int b = 0; b < kBlocks; ++b) {
    uint8_t* block = bytes.data() + b * type.block_bytes;
    block[1] = static_cast<uint8_t>((block[1] & 0x83) | 0x2c);
    if (type.block_bytes == 20) block[3] = static_cast<uint8_t>((block[3] & 0x83) | 0x28);
  }
  return bytes;
}

// Weight i of a block by ggml's own formula.
float by_formula(const GgmlType& type, const uint8_t* block, int i) {
  uint16_t half;
  std::memcpy(&half, block, 2);
  float d = half_to_float(half);
  if (type.name == "Q8_0") return d * static_cast<float>(static_cast<int8_t>(block[2 + i]));
  const uint8_t* nibbles = block + (type.name == "Q4_1" ? 4 : 2);
  int q = i < 16 ? nibbles[i] & 0xf : nibbles[i - 16] >> 4;
  if (type.name == "Q4_0") return d * static_cast<float>(q - 8);
  std::memcpy(&half, block + 2, 2);
  return d * static_cast<float>(q) + half_to_float(half);
}

void check_type(const char* name) {
  const GgmlType& type = *ggml_type(name);
  std::vector<uint8_t> source = random_blocks(type);
  std::vector<uint32_t> words(static_cast<size_t>(kBlocks) * type.bits);
  std::vector<float> scales(kBlocks), biases(kBlocks);
  repack_ggml(type, source.data(), kBlocks, words.data(), scales.data(), biases.data());
  int per_word = 32 / type.bits;
  for (int i = 0; i < kBlocks * kGgmlBlock; ++i) {
    uint32_t q = words[i / per_word] >> (type.bits * (i % per_word)) & ((1u << type.bits) - 1);
    size_t b = static_cast<size_t>(i / kGgmlBlock);
    float expected = by_formula(type, source.data() + b * type.block_bytes, i % kGgmlBlock);
    CHECK_NEAR(scales[b] * static_cast<float>(q) + biases[b], expected,
               1e-4 * std::abs(scales[b]) + 1e-7);
  }
}

}  // namespace

TEST(repacked_q4_0_equals_the_formula) { check_type("Q4_0"); }
TEST(repacked_q4_1_equals_the_formula) { check_type("Q4_1"); }
TEST(repacked_q8_0_equals_the_formula) { check_type("Q8_0"); }

TEST(unknown_types_are_not_found) {
  CHECK(ggml_type("Q5_K") == nullptr);
  CHECK(ggml_type("") == nullptr);
}

TEST(halves_convert_exactly) {
  CHECK(half_to_float(0x3c00) == 1.0f);
  CHECK(half_to_float(0xc000) == -2.0f);
  CHECK(half_to_float(0x0001) == 0x1p-24f);
  CHECK(half_to_float(0x8000) == 0.0f);
  CHECK(std::isinf(half_to_float(0x7c00)));
  CHECK(std::isnan(half_to_float(0x7e00)));
}

int main() { return check::run("ggml"); }
