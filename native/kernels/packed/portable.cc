#define LLM_HOST_PACKED_ROWS 2
#include "kernels/packed/block_sums.h"

namespace llm_host {
namespace {

inline Ints dot4(Ints sums, Words w, int32_t x) {
  for (int byte = 0; byte < 4; ++byte) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): activations are signed bytes.
    int32_t factor = static_cast<int8_t>(x >> (8 * byte));
    sums += (Ints)((w >> (8 * byte)) & 0xffu) * factor;
  }
  return sums;
}

// As float16_to_float of base/float16.h.
inline Floats widen_float16(Shorts values) {
  Words bits = __builtin_convertvector(values, Words);
  Words sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
  Words finite = (Words)((Floats)(rest << 13) * 0x1p112f);
  Words other = 0x7f800000u | (rest & 0x3ffu) << 13;
  return (Floats)(sign | (rest >= 0x7c00u ? other : finite));
}

inline Floats multiply_add(Floats a, Floats b, Floats c) { return a * b + c; }

}  // namespace

const PackedKernels* packed_portable() {
  static constexpr PackedKernels kKernels{"portable", quantize, multiply};
  return &kKernels;
}

}  // namespace llm_host
