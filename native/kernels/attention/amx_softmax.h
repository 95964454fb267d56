// Online softmax over the scores of 16 queries (Milakov and Gimelshein 2018, arXiv:1805.02867), and
// the merge of results over several ranges of keys. A part of amx.cc.
#pragma once

#include <immintrin.h>

#include "kernels/attention/tiles.h"
#include "kernels/simd/amx.h"

namespace llm_host {
namespace {

constexpr int kLanes = 16;
// The score of a masked key, and a bound below every other score.
constexpr float kMasked = -1e30f, kLowest = -5e29f;
// Scores are log2 of the weights. One may exceed the offset by this much before the offset moves.
constexpr float kHeadroom = 8;

// 16 queries, one a lane.
struct Column {
  float *offsets, *sums;  // [16]; offsets are negated
  float* out;             // first tile of [head_dim / 16], two tiles apart
  float* scores;          // [keys of the block][16], relative to the offsets
  uint32_t* weights;      // softmax weights [pairs of keys of the block][16], bfloat16
};

// 2^x with a relative error of 1e-4: 2^floor(x) by the exponent, the rest by a cubic polynomial.
inline __m512 exp2(__m512 x) {
  __m512 fraction = _mm512_reduce_ps(x, 0x09);
  __m512 y = _mm512_set1_ps(0.07802452f);
  y = _mm512_fmadd_ps(y, fraction, _mm512_set1_ps(0.22606716f));
  y = _mm512_fmadd_ps(y, fraction, _mm512_set1_ps(0.6958335f));
  y = _mm512_fmadd_ps(y, fraction, _mm512_set1_ps(0.9999252f));
  return _mm512_scalef_ps(y, x);
}

__m512 max_score(const float* scores, int keys) {
  __m512 best[4];
  for (int i = 0; i < 4; ++i) best[i] = _mm512_loadu_ps(scores + i * kLanes);
  for (int key = 4; key < keys; key += 4) {
    for (int i = 0; i < 4; ++i) {
      best[i] = _mm512_max_ps(best[i], _mm512_loadu_ps(scores + (key + i) * kLanes));
    }
  }
  return _mm512_max_ps(_mm512_max_ps(best[0], best[1]), _mm512_max_ps(best[2], best[3]));
}

// Moves the offset of each query that meets its first visible keys or whose scores exceed the
// headroom, and rescales its sum and output.
void rescale(const Column& column, int keys, int head_dim) {
  __m512 sums = _mm512_loadu_ps(column.sums), best = max_score(column.scores, keys);
  __mmask16 fresh = _mm512_cmp_ps_mask(sums, _mm512_setzero_ps(), _CMP_EQ_OQ) &
                    _mm512_cmp_ps_mask(best, _mm512_set1_ps(kLowest), _CMP_GT_OQ);
  __mmask16 moved = fresh | _mm512_cmp_ps_mask(best, _mm512_set1_ps(kHeadroom), _CMP_GT_OQ);
  if (moved == 0) return;
  __m512 step = _mm512_maskz_mov_ps(moved, best);
  for (int key = 0; key < keys; ++key) {
    float* row = column.scores + key * kLanes;
    _mm512_storeu_ps(row, _mm512_sub_ps(_mm512_loadu_ps(row), step));
  }
  _mm512_storeu_ps(column.offsets, _mm512_sub_ps(_mm512_loadu_ps(column.offsets), step));
  __m512 factor = _mm512_set1_ps(1);
  factor =
      _mm512_mask_mov_ps(factor, moved & ~fresh, exp2(_mm512_sub_ps(_mm512_setzero_ps(), step)));
  _mm512_storeu_ps(column.sums, _mm512_mul_ps(sums, factor));
  for (int c = 0; c < head_dim; ++c) {
    float* row = column.out + c / 16 * 2 * kTileFloats + c % 16 * kLanes;
    _mm512_storeu_ps(row, _mm512_mul_ps(_mm512_loadu_ps(row), factor));
  }
}

// Turns the scores of keys [begin, end) of a block into weights, and adds those to the sums.
void exponentiate(const Column& column, int begin, int end) {
  __m512 even = _mm512_loadu_ps(column.sums), odd = _mm512_setzero_ps();
  for (int key = begin; key < end; key += 2) {
    __m512 x = exp2(_mm512_load_ps(column.scores + key * kLanes));
    __m512 y = exp2(_mm512_load_ps(column.scores + (key + 1) * kLanes));
    even = _mm512_add_ps(even, x);
    odd = _mm512_add_ps(odd, y);
    _mm512_store_si512(column.weights + key / 2 * kLanes, pair(x, y));
  }
  _mm512_storeu_ps(column.sums, _mm512_add_ps(even, odd));
}

// The factor by which each state's output enters the result of queries [at, at + 16):
// factors [count][16].
void merge_factors(const TileStates& states, int at, const float* sinks, float* factors) {
  const __m512 zero = _mm512_setzero_ps();
  auto offset = [&](int i) {
    return _mm512_sub_ps(zero, _mm512_loadu_ps(states.first + i * states.stride + at));
  };
  auto sum = [&](int i) {
    return _mm512_loadu_ps(states.first + i * states.stride + kTileQueries + at);
  };
  __m512 logits = sinks == nullptr ? _mm512_set1_ps(kMasked)
                                   : _mm512_mul_ps(_mm512_loadu_ps(sinks), _mm512_set1_ps(kLog2E));
  __m512 best = logits;
  for (int i = 0; i < states.count; ++i) {
    __mmask16 some = _mm512_cmp_ps_mask(sum(i), zero, _CMP_NEQ_UQ);
    best = _mm512_mask_max_ps(best, some, best, offset(i));
  }
  __m512 total = exp2(_mm512_sub_ps(logits, best));
  for (int i = 0; i < states.count; ++i) {
    __mmask16 some = _mm512_cmp_ps_mask(sum(i), zero, _CMP_NEQ_UQ);
    __m512 factor = _mm512_maskz_mov_ps(some, exp2(_mm512_sub_ps(offset(i), best)));
    total = _mm512_fmadd_ps(factor, sum(i), total);
    _mm512_storeu_ps(factors + i * kLanes, factor);
  }
  for (int i = 0; i < states.count; ++i) {
    float* row = factors + i * kLanes;
    _mm512_storeu_ps(row, _mm512_div_ps(_mm512_loadu_ps(row), total));
  }
}

}  // namespace
}  // namespace llm_host
