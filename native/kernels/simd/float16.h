// Conversions between float16 and float32. A part of impl.h.
#pragma once

#include "kernels/simd/vectors.h"

namespace llm_host {
namespace {

constexpr float kMaxFloat16 = 65504.0f;
// Values to prefetch ahead, 4 kB: caches are read in blocks that follow one another, and the
// hardware prefetcher stops at page boundaries.
constexpr int kAhead = 2048;

// No infinities or NaNs. Multiplying by 2^112 corrects the exponent bias and normalises subnormals.
inline float to_float(uint16_t float16) {
  uint32_t bits = (uint32_t)(float16 & 0x7fff) << 13, sign = (uint32_t)(float16 & 0x8000) << 16;
  float value = load<float>(&bits) * 0x1p112f;
  bits = load<uint32_t>(&value) | sign;
  return load<float>(&bits);
}

// To nearest, ties to even. Values beyond the range become ±65504, not infinity.
inline uint16_t to_float16(float x) {
  x = x > kMaxFloat16 ? kMaxFloat16 : x < -kMaxFloat16 ? -kMaxFloat16 : x;
  uint32_t bits = load<uint32_t>(&x), rest = bits & 0x7fffffff;
  uint32_t normal = (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13;
  // Adding 0.5 leaves the subnormal mantissa, rounded, in the low bits.
  float shifted = load<float>(&rest) + 0.5f;
  uint32_t subnormal = load<uint32_t>(&shifted) - 0x3f000000;
  uint32_t magnitude = rest < 0x38800000 ? subnormal : normal;
  return (uint16_t)(x != x ? 0x7e00 : magnitude | (bits >> 16 & 0x8000));
}

// As many values as a vector has.
inline Floats widened(const uint16_t* float16) {
#if LLM_HOST_VECTOR_BYTES == 64
  return (Floats)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)float16));
#elif LLM_HOST_VECTOR_BYTES == 32
  return (Floats)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)float16));
#elif defined(LLM_HOST_NEON)
  return (Floats)vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(float16)));
#else
  Floats values;
  for (int i = 0; i < kLanes; ++i) values[i] = to_float(float16[i]);
  return values;
#endif
}

void widen(const uint16_t* float16, int n, float* out) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    __builtin_prefetch(float16 + i + kAhead);
    store(out + i, widened(float16 + i));
  }
  for (; i < n; ++i) out[i] = to_float(float16[i]);
}

void narrow(const float* x, int n, uint16_t* out) {
  int i = 0;
#if LLM_HOST_VECTOR_BYTES > 16 || defined(LLM_HOST_NEON)
  const Floats limit = splat(kMaxFloat16);
  for (; i + kLanes <= n; i += kLanes) {
    Floats v = load(x + i);
    v = v > limit ? limit : v;
    v = v < -limit ? -limit : v;
#if LLM_HOST_VECTOR_BYTES == 64
    _mm256_storeu_si256((__m256i*)(out + i), _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT));
#elif defined(LLM_HOST_NEON)
    vst1_u16(out + i, vreinterpret_u16_f16(vcvt_f16_f32((float32x4_t)v)));
#else
    _mm_storeu_si128((__m128i*)(out + i), _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
#endif
  }
#endif
  for (; i < n; ++i) out[i] = to_float16(x[i]);
}

}  // namespace
}  // namespace llm_host
