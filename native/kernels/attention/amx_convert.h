// Conversion of queries, keys and values to AMX tiles of bfloat16. A part of amx.cc.
#pragma once

#include <cstring>

#include "kernels/attention/tiles.h"
#include "kernels/simd/amx.h"

namespace llm_host {
namespace {

// Transposes 16 x 16 words in place.
void transpose(__m512i* rows) {
  __m512i pairs[16], quads[16];
  for (int i = 0; i < 16; i += 2) {
    pairs[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    quads[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
    quads[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
    quads[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    quads[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    __m512i upper_even = _mm512_shuffle_i32x4(quads[i], quads[4 + i], 0x88);
    __m512i upper_odd = _mm512_shuffle_i32x4(quads[i], quads[4 + i], 0xdd);
    __m512i lower_even = _mm512_shuffle_i32x4(quads[8 + i], quads[12 + i], 0x88);
    __m512i lower_odd = _mm512_shuffle_i32x4(quads[8 + i], quads[12 + i], 0xdd);
    rows[i] = _mm512_shuffle_i32x4(upper_even, lower_even, 0x88);
    rows[4 + i] = _mm512_shuffle_i32x4(upper_odd, lower_odd, 0x88);
    rows[8 + i] = _mm512_shuffle_i32x4(upper_even, lower_even, 0xdd);
    rows[12 + i] = _mm512_shuffle_i32x4(upper_odd, lower_odd, 0xdd);
  }
}

// 32 consecutive floats, rounded to the nearest bfloat16.
inline __m512i round(__m512 low, __m512 high) { return (__m512i)_mm512_cvtne2ps_pbh(high, low); }

// B operands: two tiles for every 32 channels, each [16 channel pairs][16 queries].
void convert_queries(const float* x, int head_dim, uint16_t* out) {
  __m512i rows[16];
  for (int c = 0; c < head_dim; c += 32) {
    for (int first = 0; first < kTileQueries; first += 16, out += kTileBytes / 2) {
      for (int i = 0; i < 16; ++i) {
        const float* row = x + static_cast<int64_t>(first + i) * head_dim + c;
        rows[i] = round(_mm512_loadu_ps(row), _mm512_loadu_ps(row + 16));
      }
      transpose(rows);
      for (int i = 0; i < 16; ++i) _mm512_storeu_si512(out + 32 * i, rows[i]);
    }
  }
}

struct Float16 {
  using Value = uint16_t;
  static __m512 load(const Value* x) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
  }
};

struct Float32 {
  using Value = float;
  static __m512 load(const Value* x) { return _mm512_loadu_ps(x); }
};

// `keys` rounded up to whole tiles.
constexpr int padded(int keys) { return (keys + kTileKeys - 1) / kTileKeys * kTileKeys; }

// A operands, row-major: [keys][head_dim].
template <typename From>
void convert_keys(const typename From::Value* keys, int count, int head_dim, uint16_t* out) {
  int given = count * head_dim, size = padded(count) * head_dim;
  for (int i = 0; i < given; i += 32) {
    _mm512_storeu_si512(out + i, round(From::load(keys + i), From::load(keys + i + 16)));
  }
  std::memset(out + given, 0, static_cast<size_t>(size - given) * sizeof(uint16_t));
}

// A operands, transposed: for every 16 channels the block's tiles [16 channels][32 keys].
template <typename From>
void convert_values(const typename From::Value* values, int count, int head_dim, uint16_t* out) {
  auto row = [&](int key, int c) {
    return key < count ? From::load(values + static_cast<int64_t>(key) * head_dim + c)
                       : _mm512_setzero_ps();
  };
  __m512i pairs[16];
  for (int c = 0; c < head_dim; c += 16) {
    uint16_t* tile = out + static_cast<int64_t>(c) * kBlockKeys;
    for (int key = 0; key < count; key += kTileKeys, tile += kTileBytes / 2) {
      for (int i = 0; i < 16; ++i) pairs[i] = pair(row(key + 2 * i, c), row(key + 2 * i + 1, c));
      transpose(pairs);
      for (int i = 0; i < 16; ++i) _mm512_storeu_si512(tile + 32 * i, pairs[i]);
    }
  }
}

void convert_keys(const void* keys, bool float16, int count, int head_dim, uint16_t* out) {
  if (float16)
    return convert_keys<Float16>(static_cast<const uint16_t*>(keys), count, head_dim, out);
  convert_keys<Float32>(static_cast<const float*>(keys), count, head_dim, out);
}

void convert_values(const void* values, bool float16, int count, int head_dim, uint16_t* out) {
  if (float16) {
    return convert_values<Float16>(static_cast<const uint16_t*>(values), count, head_dim, out);
  }
  convert_values<Float32>(static_cast<const float*>(values), count, head_dim, out);
}

}  // namespace
}  // namespace llm_host
