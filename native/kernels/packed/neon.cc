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
    if constexpr (K == Kind::kAffine8) {
      next = veorq_u8(vld1q_u8(source + 64 + 16 * p), vdupq_n_u8(128));
      word = veorq_u8(word, vdupq_n_u8(128));
    } else {
      next = vshrq_n_u8(word, 4);
      word = vandq_u8(word, vdupq_n_u8(15));
    }
    columns.first[p] = vreinterpretq_s8_u8(word);
    columns.second[p] = vreinterpretq_s8_u8(next);
  }
  return columns;
}

// Adds the upper bits of the codes, those of the columns that are multiplied k-th and next.
template <Kind K>
inline void add_upper_bits(Columns& columns, const uint8_t* bits, int k) {
  constexpr int kUpper = upper_bits(K);
  uint8x16_t mask = vdupq_n_u8(((1 << kUpper) - 1) << 4);
  auto added = [&](int8x16_t codes, uint8x16_t word, int shift) {
    uint8x16_t upper = vandq_u8(vshlq_u8(word, vdupq_n_s8(static_cast<int8_t>(shift))), mask);
    return vorrq_s8(codes, vreinterpretq_s8_u8(upper));
  };
  for (int p = 0; p < kParts; ++p) {
    uint8x16_t word = vld1q_u8(bits + 16 * p);
    columns.first[p] = added(columns.first[p], word, 4 - kUpper * k);
    columns.second[p] = added(columns.second[p], word, 4 - kUpper * (k + 1));
  }
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

struct ScalesAndBiases {
  float32x4_t scales, biases;
};

// Of four weight rows in the group-th group of the unit whose header this is.
template <Scales S>
inline ScalesAndBiases load_scales(const PackedMatrix& w, const uint8_t* header, int group,
                                   int part) {
  if constexpr (S == Scales::kFloat32) {
    return {load<float32x4_t>(header + 16 * part), load<float32x4_t>(header + 64 + 16 * part)};
  } else if constexpr (S == Scales::kBfloat16) {
    auto widen = [](const uint8_t* source) {
      return vreinterpretq_f32_u32(vshll_n_u16(load<uint16x4_t>(source), 16));
    };
    return {widen(header + 8 * part), widen(header + 32 + 8 * part)};
  } else {
    float32x4_t first = vcvt_f32_f16(load<float16x4_t>(header + 8 * part));
    float zero = static_cast<float>(-w.zero);
    if constexpr (S == Scales::kSymmetric) return {first, vmulq_n_f32(first, zero)};
    if constexpr (S == Scales::kSignedBytes) {
      const uint8_t* bytes = header + 32 + 16 * group + 4 * part;
      int8x8_t four = vreinterpret_s8_u32(vdup_n_u32(load<uint32_t>(bytes)));
      int32x4_t scales = vmovl_s16(vget_low_s16(vmovl_s8(four)));
      first = vmulq_f32(first, vcvtq_f32_s32(scales));
      return {first, vmulq_n_f32(first, zero)};
    }
    float32x4_t second = vcvt_f32_f16(load<float16x4_t>(header + 32 + 8 * part));
    if constexpr (S == Scales::kFloat16) return {first, second};
    int32x4_t shift = vdupq_n_s32(-4 * group);
    auto bits = [&](int word) {
      return vshlq_u32(load<uint32x4_t>(header + 64 + 64 * word + 16 * part), shift);
    };
    auto both = [](uint32x4_t low, uint32x4_t high) {
      return vcvtq_f32_u32(vorrq_u32(vandq_u32(low, vdupq_n_u32(15)), high));
    };
    uint32x4_t upper = bits(2);
    uint32x4_t scale = vshlq_n_u32(vandq_u32(upper, vdupq_n_u32(3)), 4);
    uint32x4_t minimum = vshlq_n_u32(vandq_u32(upper, vdupq_n_u32(12)), 2);
    return {vmulq_f32(first, both(bits(0), scale)),
            vnegq_f32(vmulq_f32(second, both(bits(1), minimum)))};
  }
}

// Adds the products of a group of 16 weight rows with M rows of x.
template <Kind K, int M>
inline void add_codes(const uint8_t* codes, int size, const int8_t* int8, int64_t cols,
                      int32x4_t (*coarse)[kParts], int32x4_t (*fine)[kParts]) {
  constexpr int kColumnBytes = K == Kind::kAffine8 ? 128 : 64;
  constexpr bool kUpper = upper_bits(K) != 0;
  int chunk = size / 8;
  if constexpr (kUpper) chunk = low_words(K);
  for (int i = 0; i < size;) {
    const uint8_t* bits = codes + kColumnBytes * chunk;
    for (int k = 0; k < chunk; ++k, i += 8, codes += kColumnBytes) {
      Columns columns = load_columns<K>(codes);
      if constexpr (kUpper) add_upper_bits<K>(columns, bits, 2 * k);
      for (int m = 0; m < M; ++m) {
        const int8_t* at = int8 + static_cast<int64_t>(2 * m) * cols + i;
        add_dots(coarse[m], columns, vld1_s8(at));
        add_dots(fine[m], columns, vld1_s8(at + cols));
      }
    }
    if constexpr (kUpper) codes += 64;
  }
}

template <Kind K, Scales S, int M>
inline void add_group(const PackedMatrix& w, const uint8_t* header, const uint8_t* codes,
                      const PackedInput& x, int first, int index, Floats* totals) {
  int size = group_size<S>(w);
  const int8_t* int8 =
      x.int8 + static_cast<int64_t>(first) * 2 * w.cols + static_cast<int64_t>(index) * size;
  int32x4_t coarse[M][kParts] = {}, fine[M][kParts] = {};
  add_codes<K, M>(codes, size, int8, w.cols, coarse, fine);
  for (int m = 0; m < M; ++m) {
    const int8_t* at = int8 + static_cast<int64_t>(2 * m) * w.cols;
    int coarse_offset = 0, fine_offset = 0;
    if constexpr (K == Kind::kAffine8) {
      coarse_offset = 128 * sum_of(at, size);
      fine_offset = 128 * sum_of(at + w.cols, size);
    }
    int64_t scale_at = static_cast<int64_t>(first + m) * w.groups() + index;
    float* total = reinterpret_cast<float*>(totals + m);
    for (int p = 0; p < kParts; ++p) {
      float32x4_t product = vcvtq_f32_s32(vaddq_s32(coarse[m][p], vdupq_n_s32(coarse_offset)));
      float32x4_t remainder = vcvtq_f32_s32(vaddq_s32(fine[m][p], vdupq_n_s32(fine_offset)));
      product = vfmaq_n_f32(product, remainder, 1.0f / 254);
      auto [scales, biases] = load_scales<S>(w, header, in_unit<S>(index), p);
      float32x4_t scale = vmulq_n_f32(scales, x.scales[scale_at]);
      float32x4_t sum = vfmaq_f32(vld1q_f32(total + 4 * p), product, scale);
      vst1q_f32(total + 4 * p, vfmaq_n_f32(sum, biases, x.sums[scale_at]));
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
