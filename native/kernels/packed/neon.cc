#if defined(__ARM_FEATURE_DOTPROD)
#include <arm_neon.h>
#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#define LLM_HOST_PACKED_ROWS 2
#include "kernels/packed/impl.h"

namespace llm_host {
namespace {

// Compilers keep vectors longer than the CPU's in memory, so the 16 rows are four NEON vectors
// here.
constexpr int kParts = kRows / 4;

// Eight columns of 16 weight rows as signed bytes: four in `first`, four in `second`.
struct Columns {
  int8x16_t first[kParts], second[kParts];
};

// SDOT takes signed bytes: 128 is subtracted from 8-bit weights, and 128 · Σ x is added to
// the sums instead.
template <Kind K>
inline Columns load_columns(const uint8_t* source) {
  Columns columns;
  for (int p = 0; p < kParts; ++p) {
    uint8x16_t word = vld1q_u8(source + 16 * p), next;
    if constexpr (K == Kind::kAffine4) {
      next = vshrq_n_u8(word, 4);
      word = vandq_u8(word, vdupq_n_u8(15));
    } else {
      next = veorq_u8(vld1q_u8(source + 64 + 16 * p), vdupq_n_u8(128));
      word = veorq_u8(word, vdupq_n_u8(128));
    }
    columns.first[p] = vreinterpretq_s8_u8(word);
    columns.second[p] = vreinterpretq_s8_u8(next);
  }
  return columns;
}

inline void add_dots(int32x4_t* sums, const Columns& columns, int8x8_t x) {
  for (int p = 0; p < kParts; ++p) {
    sums[p] = vdotq_lane_s32(sums[p], columns.first[p], x, 0);
    sums[p] = vdotq_lane_s32(sums[p], columns.second[p], x, 1);
  }
}

inline int sum_of(const int8_t* int8, int count) {
  int sum = 0;
  for (int i = 0; i < count; i += 16) sum += vaddlvq_s8(vld1q_s8(int8 + i));
  return sum;
}

// The scales of four weight rows.
template <Scales S>
inline float32x4_t load_scales(const uint8_t* source, int part) {
  if constexpr (S == Scales::kFloat32) return load<float32x4_t>(source + 16 * part);
  if constexpr (S == Scales::kFloat16) return vcvt_f32_f16(load<float16x4_t>(source + 8 * part));
  return vreinterpretq_f32_u32(vshll_n_u16(load<uint16x4_t>(source + 8 * part), 16));
}

template <Kind K, Scales S, int M>
inline void add_group(const PackedMatrix& w, const uint8_t* group, const PackedInput& x, int first,
                      int index, Floats* totals) {
  constexpr int kScaleBytes = S == Scales::kFloat32 ? 64 : 32;
  constexpr int kColumnBytes = K == Kind::kAffine4 ? 64 : 128;
  const uint8_t* source = group + 2 * kScaleBytes;
  const int8_t* int8 = x.int8 + static_cast<int64_t>(first) * 2 * w.cols + index * w.group_size;
  int32x4_t coarse[M][kParts] = {}, fine[M][kParts] = {};
  for (int i = 0; i < w.group_size; i += 8, source += kColumnBytes) {
    Columns columns = load_columns<K>(source);
    for (int m = 0; m < M; ++m) {
      const int8_t* at = int8 + static_cast<int64_t>(2 * m) * w.cols + i;
      add_dots(coarse[m], columns, vld1_s8(at));
      add_dots(fine[m], columns, vld1_s8(at + w.cols));
    }
  }
  for (int m = 0; m < M; ++m) {
    const int8_t* at = int8 + static_cast<int64_t>(2 * m) * w.cols;
    int coarse_offset = 0, fine_offset = 0;
    if constexpr (K == Kind::kAffine8) {
      coarse_offset = 128 * sum_of(at, w.group_size);
      fine_offset = 128 * sum_of(at + w.cols, w.group_size);
    }
    int64_t scale_at = static_cast<int64_t>(first + m) * w.groups() + index;
    float* total = reinterpret_cast<float*>(totals + m);
    for (int p = 0; p < kParts; ++p) {
      float32x4_t product = vcvtq_f32_s32(vaddq_s32(coarse[m][p], vdupq_n_s32(coarse_offset)));
      float32x4_t remainder = vcvtq_f32_s32(vaddq_s32(fine[m][p], vdupq_n_s32(fine_offset)));
      product = vfmaq_n_f32(product, remainder, 1.0f / 254);
      float32x4_t scale = vmulq_n_f32(load_scales<S>(group, p), x.scales[scale_at]);
      float32x4_t bias = load_scales<S>(group + kScaleBytes, p);
      float32x4_t sum = vfmaq_f32(vld1q_f32(total + 4 * p), product, scale);
      vst1q_f32(total + 4 * p, vfmaq_n_f32(sum, bias, x.sums[scale_at]));
    }
  }
}

// The two columns in each word of four weight rows.
template <Kind K>
inline float32x4x2_t widen_pair(uint32x4_t word) {
  if constexpr (K == Kind::kBfloat16) {
    return {vreinterpretq_f32_u32(vshlq_n_u32(word, 16)),
            vreinterpretq_f32_u32(vandq_u32(word, vdupq_n_u32(0xffff0000u)))};
  } else {
    return {vcvt_f32_f16(vreinterpret_f16_u16(vmovn_u32(word))),
            vcvt_f32_f16(vreinterpret_f16_u16(vshrn_n_u32(word, 16)))};
  }
}

template <Kind K, int M>
inline void add_columns(const PackedMatrix& w, const uint8_t* source, const PackedInput& x,
                        int first, Floats* totals) {
  const float* values = x.values + static_cast<int64_t>(first) * w.cols;
  float32x4_t even[M][kParts] = {}, odd[M][kParts] = {};
  for (int i = 0; i < w.cols; i += 2, source += 64) {
    if constexpr (M == 1) __builtin_prefetch(source + kAhead);
    for (int p = 0; p < kParts; ++p) {
      float32x4x2_t pair = widen_pair<K>(load<uint32x4_t>(source + 16 * p));
      for (int m = 0; m < M; ++m) {
        float32x2_t at = vld1_f32(values + static_cast<int64_t>(m) * w.cols + i);
        even[m][p] = vfmaq_lane_f32(even[m][p], pair.val[0], at, 0);
        odd[m][p] = vfmaq_lane_f32(odd[m][p], pair.val[1], at, 1);
      }
    }
  }
  for (int m = 0; m < M; ++m) {
    float* total = reinterpret_cast<float*>(totals + m);
    for (int p = 0; p < kParts; ++p) {
      float32x4_t sum = vaddq_f32(even[m][p], odd[m][p]);
      vst1q_f32(total + 4 * p, vaddq_f32(vld1q_f32(total + 4 * p), sum));
    }
  }
}

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
#include "kernels/packed/kernels.h"

namespace llm_host {
const PackedKernels* packed_neon() { return nullptr; }
}  // namespace llm_host
#endif
