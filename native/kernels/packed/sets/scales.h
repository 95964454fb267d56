// The scales in the headers of packed units, written once over vectors of kLanes lanes, a part of
// the 16 rows. The source that includes this defines LLM_HOST_PACKED_LANES and the two functions
// declared here; see impl.h for what may be called.
#pragma once

#include "kernels/packed/form/matrix.h"

namespace llm_host {
namespace {

constexpr int kLanes = LLM_HOST_PACKED_LANES;
typedef float PartFloats __attribute__((vector_size(4 * LLM_HOST_PACKED_LANES)));
typedef int32_t PartInts __attribute__((vector_size(4 * LLM_HOST_PACKED_LANES)));
typedef uint32_t PartWords __attribute__((vector_size(4 * LLM_HOST_PACKED_LANES)));
typedef uint16_t PartShorts __attribute__((vector_size(2 * LLM_HOST_PACKED_LANES)));

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

// float16 values as float32.
inline PartFloats widen_float16(PartShorts bits);
// kLanes signed bytes.
inline PartInts widen_bytes(const uint8_t* source);

template <typename V>
inline V load(const void* source) {
  V v;
  __builtin_memcpy(&v, source, sizeof v);
  return v;
}
// Minus zero is no instruction, plus zero is one: it changes the sign of -0.
inline PartFloats part_splat(float x) { return x - PartFloats{}; }
inline PartFloats to_floats(PartWords w) {
  return __builtin_convertvector((PartInts)w, PartFloats);
}

struct ScalesAndBiases {
  PartFloats scales, biases;
};

// d · scale and -dmin · minimum of group `group`; see PackedMatrix::Scales::kSixBits.
inline ScalesAndBiases six_bit_scales(const uint8_t* header, int group, int part) {
  int row = kLanes * part, shift = 4 * group;
  auto words = [&](int index) {
    return load<PartWords>(header + 64 + 64 * index + 4 * row) >> shift;
  };
  PartWords upper = words(2);
  PartWords scale = (words(0) & 15u) | ((upper & 3u) << 4);
  PartWords minimum = (words(1) & 15u) | ((upper & 12u) << 2);
  PartFloats d = widen_float16(load<PartShorts>(header + 2 * row));
  PartFloats dmin = widen_float16(load<PartShorts>(header + 32 + 2 * row));
  return {d * to_floats(scale), -(dmin * to_floats(minimum))};
}

// Of rows [kLanes · part, kLanes · (part + 1)) in the group-th group of the unit whose header this
// is.
template <Scales S>
inline ScalesAndBiases load_scales(const PackedMatrix& w, const uint8_t* header, int group,
                                   int part) {
  int row = kLanes * part;
  PartFloats zero = part_splat(static_cast<float>(-w.zero));
  if constexpr (S == Scales::kFloat32) {
    return {load<PartFloats>(header + 4 * row), load<PartFloats>(header + 64 + 4 * row)};
  } else if constexpr (S == Scales::kBfloat16) {
    auto widen = [](const uint8_t* source) {
      return (PartFloats)(__builtin_convertvector(load<PartShorts>(source), PartWords) << 16);
    };
    return {widen(header + 2 * row), widen(header + 32 + 2 * row)};
  } else if constexpr (S == Scales::kExponents) {
    PartFloats twice = (PartFloats)((PartWords)widen_bytes(header + row) << 23 & 0x7fffffffu);
    PartFloats scales = twice * 0.5f;
    return {scales, scales * zero};
  } else if constexpr (S == Scales::kFloat8) {
    PartWords bytes = (PartWords)widen_bytes(header + row);
    PartFloats magnitudes = (PartFloats)((bytes & 127u) << 20) * 0x1p119f;
    PartFloats scales = (PartFloats)((PartWords)magnitudes | (bytes & 0x80000000u));
    return {scales, scales * zero};
  } else if constexpr (S == Scales::kSixBits) {
    return six_bit_scales(header, group, part);
  } else {
    PartFloats first = widen_float16(load<PartShorts>(header + 2 * row));
    if constexpr (S == Scales::kSymmetric) return {first, first * zero};
    if constexpr (S == Scales::kSignedBytes) {
      PartInts bytes = widen_bytes(header + 32 + 16 * group + row);
      PartFloats scales = first * __builtin_convertvector(bytes, PartFloats);
      return {scales, scales * zero};
    }
    return {first, widen_float16(load<PartShorts>(header + 32 + 2 * row))};
  }
}

}  // namespace
}  // namespace llm_host
