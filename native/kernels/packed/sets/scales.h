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

// d · scale and -dmin · minimum of a unit's 8 groups; see PackedMatrix::Scales::kSixBits. The six
// bits of every other group are put together in the bytes of a word.
inline void six_bit_scales(const uint8_t* header, int part, ScalesAndBiases* groups) {
  int row = kLanes * part;
  auto words = [&](int index) { return load<PartWords>(header + 64 + 64 * index + 4 * row); };
  PartFloats d = widen_float16(load<PartShorts>(header + 2 * row));
  PartFloats less = -widen_float16(load<PartShorts>(header + 32 + 2 * row));
  PartWords scales = words(0), minima = words(1), upper = words(2);
  for (int odd = 0; odd < 2; ++odd) {
    PartWords scale = (scales & 0x0f0f0f0fu) | ((upper & 0x03030303u) << 4);
    PartWords minimum = (minima & 0x0f0f0f0fu) | ((upper & 0x0c0c0c0cu) << 2);
    for (int byte = 0; byte < 4; ++byte) {
      int shift = 8 * byte;
      groups[2 * byte + odd] = {d * to_floats((scale >> shift) & 0xffu),
                                less * to_floats((minimum >> shift) & 0xffu)};
    }
    scales >>= 4;
    minima >>= 4;
    upper >>= 4;
  }
}

// Unpacks the scales of rows [kLanes · part, kLanes · (part + 1)) in all groups of the unit whose
// header this is into `groups`.
template <Scales S>
inline void load_scales(const PackedMatrix& w, const uint8_t* header, int part,
                        ScalesAndBiases* groups) {
  int row = kLanes * part;
  PartFloats zero = part_splat(static_cast<float>(-w.zero));
  if constexpr (S == Scales::kFloat32) {
    groups[0] = {load<PartFloats>(header + 4 * row), load<PartFloats>(header + 64 + 4 * row)};
  } else if constexpr (S == Scales::kBfloat16) {
    auto widen = [](const uint8_t* source) {
      return (PartFloats)(__builtin_convertvector(load<PartShorts>(source), PartWords) << 16);
    };
    groups[0] = {widen(header + 2 * row), widen(header + 32 + 2 * row)};
  } else if constexpr (S == Scales::kExponents) {
    PartFloats twice = (PartFloats)((PartWords)widen_bytes(header + row) << 23 & 0x7fffffffu);
    PartFloats scales = twice * 0.5f;
    groups[0] = {scales, scales * zero};
  } else if constexpr (S == Scales::kFloat8) {
    PartWords bytes = (PartWords)widen_bytes(header + row);
    PartFloats magnitudes = (PartFloats)((bytes & 127u) << 20) * 0x1p119f;
    PartFloats scales = (PartFloats)((PartWords)magnitudes | (bytes & 0x80000000u));
    groups[0] = {scales, scales * zero};
  } else if constexpr (S == Scales::kSixBits) {
    six_bit_scales(header, part, groups);
  } else if constexpr (S == Scales::kSignedBytes) {
    PartFloats d = widen_float16(load<PartShorts>(header + 2 * row));
    for (int group = 0; group < PackedMatrix::unit_groups(S); ++group) {
      PartInts bytes = widen_bytes(header + 32 + 16 * group + row);
      PartFloats scales = d * __builtin_convertvector(bytes, PartFloats);
      groups[group] = {scales, scales * zero};
    }
  } else {
    PartFloats first = widen_float16(load<PartShorts>(header + 2 * row));
    if constexpr (S == Scales::kSymmetric) {
      groups[0] = {first, first * zero};
    } else {
      groups[0] = {first, widen_float16(load<PartShorts>(header + 32 + 2 * row))};
    }
  }
}

}  // namespace
}  // namespace llm_host
