#define LLM_HOST_PACKED_ROWS 4
#define LLM_HOST_PACKED_BLOCKS 1
#define LLM_HOST_PACKED_LANES 16
#define LLM_HOST_PACKED_PARTS 1
#include "kernels/packed/sets/scales.h"

namespace llm_host {
namespace {

typedef PartInts Dots;
constexpr bool kSignedDots = false;
constexpr int words_at_once(Kind, int words) { return words < 4 ? words : 4; }
constexpr int dots_at_once(Kind) { return 0; }

template <Kind K>
inline Dots add_dots(Dots dots, PartWords codes, int32_t x) {
  for (int byte = 0; byte < 4; ++byte) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): activations are signed bytes.
    int32_t factor = static_cast<int8_t>(x >> (8 * byte));
    dots += (PartInts)((codes >> (8 * byte)) & 0xffu) * factor;
  }
  return dots;
}
template <Kind K>
inline PartInts add_sums(PartInts sums, Dots dots) {
  return sums + dots;
}

inline PartWords look_up(PartWords nibbles) {
  uint8_t bytes[sizeof nibbles];
  __builtin_memcpy(bytes, &nibbles, sizeof bytes);
  for (uint8_t& byte : bytes) byte = PackedMatrix::kFloat4Codes[byte];
  return load<PartWords>(bytes);
}

// As float16_to_float of base/float16.h.
inline PartFloats widen_float16(PartShorts values) {
  PartWords bits = __builtin_convertvector(values, PartWords);
  PartWords sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
  PartWords finite = (PartWords)((PartFloats)(rest << 13) * 0x1p112f);
  PartWords other = 0x7f800000u | (rest & 0x3ffu) << 13;
  return (PartFloats)(sign | (rest >= 0x7c00u ? other : finite));
}
inline PartInts widen_bytes(const uint8_t* source) {
  typedef int8_t SignedBytes __attribute__((vector_size(16)));
  return __builtin_convertvector(load<SignedBytes>(source), PartInts);
}
inline void widen_float16(PartWords words, PartFloats& low, PartFloats& high) {
  low = widen_float16(__builtin_convertvector(words & 0xffffu, PartShorts));
  high = widen_float16(__builtin_convertvector(words >> 16, PartShorts));
}

inline PartFloats multiply_add(PartFloats a, PartFloats b, PartFloats c) { return a * b + c; }

}  // namespace
}  // namespace llm_host

#include "kernels/packed/sets/block_sums.h"
#include "kernels/packed/sets/quantize.h"

namespace llm_host {

const PackedKernels* packed_portable() {
  static constexpr PackedKernels kKernels{"portable", quantize, multiply};
  return &kKernels;
}

}  // namespace llm_host
