#include "weights/ggml/rows.h"

#include <cstring>

#include "kernels/packed/form/matrix.h"
#include "kernels/packed/form/nibbles.h"
#include "weights/ggml/bits.h"

namespace llm_host {
namespace {

using Scales = PackedMatrix::Scales;

constexpr int kWeights = 32, kRowWord = 4, kVector = 64;

// Calls pack(block, header, words) for each block and its place: the header of its unit and the
// row's lane of the first vector. `pack` returns whether the block's scales are finite.
template <int BlockBytes, Scales S, int Bits, typename Pack>
int pack_each(const uint8_t* blocks, int count, uint8_t* unit, int lane, Pack pack) {
  constexpr int kHeader = PackedMatrix::header_bytes(S);
  constexpr int kUnit = kHeader + kVector * kWeights * Bits / 32;
  int bad = -1;
  for (int b = 0; b < count; ++b, blocks += BlockBytes, unit += kUnit) {
    bool finite = pack(blocks, unit, unit + kHeader + kRowWord * lane);
    if (!finite && bad < 0) bad = b;
  }
  return bad;
}

// 16 bytes of nibbles: weights 0..15 are the low ones, 16..31 the high ones.
void pack_halves(const uint8_t* nibbles, uint8_t* words) {
  ColumnPairs pairs = load_pairs(nibbles);
  pack_low_nibbles(pairs, words);
  pack_low_nibbles(pairs >> 4, words + 2 * kVector);
}

// Returns whether it is finite.
bool copy_float16(const uint8_t* source, uint8_t* target) {
  std::memcpy(target, source, 2);
  return is_finite_float16(read_bits(source));
}

}  // namespace

int pack_q4_0_row(const uint8_t* blocks, int count, uint8_t* unit, int lane) {
  auto pack = [lane](const uint8_t* block, uint8_t* header, uint8_t* words) {
    pack_halves(block + 2, words);
    return copy_float16(block, header + 2 * lane);
  };
  return pack_each<18, Scales::kSymmetric, 4>(blocks, count, unit, lane, pack);
}

int pack_q4_1_row(const uint8_t* blocks, int count, uint8_t* unit, int lane) {
  auto pack = [lane](const uint8_t* block, uint8_t* header, uint8_t* words) {
    pack_halves(block + 4, words);
    bool finite = copy_float16(block, header + 2 * lane);
    return copy_float16(block + 2, header + 32 + 2 * lane) && finite;
  };
  return pack_each<20, Scales::kFloat16, 4>(blocks, count, unit, lane, pack);
}

int pack_q8_0_row(const uint8_t* blocks, int count, uint8_t* unit, int lane) {
  auto pack = [lane](const uint8_t* block, uint8_t* header, uint8_t* words) {
    for (int i = 2; i < 2 + kWeights; i += kRowWord, words += kVector) {
      uint32_t word;
      std::memcpy(&word, block + i, sizeof word);
      word ^= 0x80808080u;  // Signed bytes -> codes with a zero of 128.
      std::memcpy(words, &word, sizeof word);
    }
    return copy_float16(block, header + 2 * lane);
  };
  return pack_each<34, Scales::kSymmetric, 8>(blocks, count, unit, lane, pack);
}

int pack_mxfp4_row(const uint8_t* blocks, int count, uint8_t* unit, int lane) {
  auto pack = [lane](const uint8_t* block, uint8_t* header, uint8_t* words) {
    pack_halves(block + 1, words);
    header[lane] = block[0];
    return block[0] != 0xff;
  };
  return pack_each<17, Scales::kExponents, 4>(blocks, count, unit, lane, pack);
}

}  // namespace llm_host
