#include "weights/ggml/bits.h"
#include "weights/ggml/readers.h"

namespace llm_host {
namespace {

// Four bytes of fifth bits, weight i at bit i.
void add_fifth_bits(const uint8_t* source, uint8_t* codes) {
  for (int i = 0; i < 4; ++i) {
    // Bit k of the byte in byte k, then moved from wherever it is there to bit 4.
    uint64_t bits = source[i] * uint64_t{0x0101010101010101} & 0x8040201008040201, eight;
    bits = (bits + 0x7f7f7f7f7f7f7f7f) >> 3 & 0x1010101010101010;
    std::memcpy(&eight, codes + 8 * i, sizeof eight);
    eight |= bits;
    std::memcpy(codes + 8 * i, &eight, sizeof eight);
  }
}

}  // namespace

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
  for (int i = 0; i < 32; ++i) unit->codes[i] = block[2 + i] ^ 0x80;
}

}  // namespace llm_host
