// Vector types and their basic operations. A part of impl.h.
#pragma once

#include "kernels/simd/simd.h"

#if LLM_HOST_VECTOR_BYTES > 16
#include <immintrin.h>
#elif defined(LLM_HOST_NEON)
#include <arm_neon.h>
#endif

namespace llm_host {
namespace {

constexpr int kLanes = LLM_HOST_VECTOR_BYTES / 4;
typedef float Floats __attribute__((vector_size(LLM_HOST_VECTOR_BYTES)));
typedef int32_t Ints __attribute__((vector_size(LLM_HOST_VECTOR_BYTES)));
typedef uint32_t Words __attribute__((vector_size(LLM_HOST_VECTOR_BYTES)));
typedef float Floats4 __attribute__((vector_size(16)));
typedef float Floats8 __attribute__((vector_size(32)));
typedef int32_t Ints8 __attribute__((vector_size(32)));
typedef uint32_t Words8 __attribute__((vector_size(32)));

template <typename V>
inline V load(const void* source) {
  V v;
  __builtin_memcpy(&v, source, sizeof v);
  return v;
}
inline Floats load(const float* source) { return load<Floats>(static_cast<const void*>(source)); }
template <typename V>
inline void store(float* target, V v) {
  __builtin_memcpy(target, &v, sizeof v);
}
inline Floats splat(float x) { return Floats{} + x; }

// a · b + c. Rounded once where the CPU can, and then always: left to itself, a compiler may fuse
// the two for one number of rows and not for another.
inline Floats multiply_add(Floats a, Floats b, Floats c) {
#if LLM_HOST_VECTOR_BYTES == 64
  return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif LLM_HOST_VECTOR_BYTES == 32
  return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(LLM_HOST_NEON)
  return (Floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  return a * b + c;
#endif
}
inline float multiply_add(float a, float b, float c) {
#if LLM_HOST_VECTOR_BYTES > 16 || defined(LLM_HOST_NEON)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
inline Floats to_floats(Words v) { return __builtin_convertvector((Ints)v, Floats); }

inline float sum4(Floats4 v) {
  Floats4 t = v + __builtin_shufflevector(v, v, 2, 3, 0, 1);
  return t[0] + t[1];
}
inline float sum8(Floats8 v) {
  return sum4(__builtin_shufflevector(v, v, 0, 1, 2, 3) +
              __builtin_shufflevector(v, v, 4, 5, 6, 7));
}

// sums_of_four: sum() of each, bit by bit.
// spread<L>: the scale of each lane's group, where a group spans L lanes and `s` is the first
// one's.
#if LLM_HOST_VECTOR_BYTES == 64
inline float sum(Floats v) {
  return sum8(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
              __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
}
inline void sums_of_four(const Floats* s, float* sums) {
  // Side by side: halves of two, then quarters of four.
  auto halved = [](Floats a, Floats b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
           __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30,
                                   31);
  };
  Floats a = halved(s[0], s[1]), b = halved(s[2], s[3]);
  Floats v =
      __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
      __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  v += __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  store(sums, __builtin_shufflevector(v, v, 0, 4, 8, 12));
}
template <int L>
inline Floats spread(const float* s) {
  // Intrinsics, as GCC would widen a short vector through memory and stall on the load.
  if constexpr (L == 4) {
    const Ints lanes = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    return (Floats)_mm512_permutexvar_ps((__m512i)lanes, _mm512_castps128_ps512(_mm_loadu_ps(s)));
  } else if constexpr (L == 8) {
    const Ints lanes = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    __m128 two = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(s)));
    return (Floats)_mm512_permutexvar_ps((__m512i)lanes, _mm512_castps128_ps512(two));
  } else {
    return splat(*s);
  }
}
#elif LLM_HOST_VECTOR_BYTES == 32
inline float sum(Floats v) { return sum8(v); }
template <int L>
inline Floats spread(const float* s) {
  if constexpr (L == 4) {
    const Ints lanes = {0, 0, 0, 0, 1, 1, 1, 1};
    __m128 two = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(s)));
    return (Floats)_mm256_permutevar8x32_ps(_mm256_castps128_ps256(two), (__m256i)lanes);
  } else {
    return splat(*s);
  }
}
#else
inline float sum(Floats v) { return sum4(v); }
template <int L>
inline Floats spread(const float* s) {
  return splat(*s);
}
#endif
#if LLM_HOST_VECTOR_BYTES != 64
inline void sums_of_four(const Floats* s, float* sums) {
  for (int i = 0; i < 4; ++i) sums[i] = sum(s[i]);
}
#endif

}  // namespace
}  // namespace llm_host
