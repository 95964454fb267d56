#if defined(__ARM_FEATURE_DOTPROD)
#include <arm_neon.h>
#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
// Compilers keep vectors longer than the CPU's in memory, so the 16 rows are four NEON vectors
// here.
#define LLM_HOST_PACKED_ROWS 4
#define LLM_HOST_PACKED_BLOCKS 1
#define LLM_HOST_PACKED_LANES 4
#define LLM_HOST_PACKED_PARTS 4
#include "kernels/packed/sets/scales.h"

namespace llm_host {
namespace {

typedef PartInts Dots;
constexpr bool kSignedDots = true;
constexpr int words_at_once(Kind, int words) { return words < 4 ? words : 4; }
constexpr int dots_at_once(Kind) { return 0; }

template <Kind K>
inline Dots add_dots(Dots dots, PartWords codes, int32_t x) {
  return (Dots)vdotq_s32((int32x4_t)dots, (int8x16_t)codes, vreinterpretq_s8_s32(vdupq_n_s32(x)));
}
template <Kind K>
inline PartInts add_sums(PartInts sums, Dots dots) {
  return sums + dots;
}

inline PartWords look_up(PartWords nibbles) {
  return (PartWords)vqtbl1q_u8(vld1q_u8(PackedMatrix::kFloat4Codes), (uint8x16_t)nibbles);
}
inline PartFloats widen_float16(PartShorts bits) {
  return (PartFloats)vcvt_f32_f16((float16x4_t)bits);
}
inline PartInts widen_bytes(const uint8_t* source) {
  int8x8_t four = vreinterpret_s8_u32(vdup_n_u32(load<uint32_t>(source)));
  return (PartInts)vmovl_s16(vget_low_s16(vmovl_s8(four)));
}
inline void widen_float16(PartWords words, PartFloats& low, PartFloats& high) {
  low = (PartFloats)vcvt_f32_f16(vreinterpret_f16_u16(vmovn_u32((uint32x4_t)words)));
  high = (PartFloats)vcvt_f32_f16(vreinterpret_f16_u16(vshrn_n_u32((uint32x4_t)words, 16)));
}
inline PartFloats multiply_add(PartFloats a, PartFloats b, PartFloats c) {
  return (PartFloats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

}  // namespace
}  // namespace llm_host

#include "kernels/packed/sets/block_sums.h"
#include "kernels/packed/sets/quantize.h"

namespace llm_host {
namespace {

bool has_dot_products() {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return true;  // Apple's compiler defines __ARM_FEATURE_DOTPROD only for CPUs that have them.
#endif
}

}  // namespace

const PackedKernels* packed_neon() {
  static constexpr PackedKernels kKernels{"neon", quantize, multiply};
  return has_dot_products() ? &kKernels : nullptr;
}

}  // namespace llm_host
#else
#include "kernels/packed/sets/kernels.h"

namespace llm_host {
const PackedKernels* packed_neon() { return nullptr; }
}  // namespace llm_host
#endif
