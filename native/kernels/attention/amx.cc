#include "kernels/attention/tiles.h"

#if defined(__AMX_BF16__) && defined(__AVX512BF16__) && defined(__linux__)
#include <cstring>

#include "kernels/simd/amx.h"

namespace llm_host {
namespace {

constexpr int kLanes = 16;
// Scores of keys that a query does not see, and what no true score is below.
constexpr float kUnseen = -1e30f, kLowest = -5e29f;
// Powers of two that shares may grow by before the offset follows.
constexpr float kRoom = 8;

// 16 x 16 words, in place.
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

// The bfloat16 numbers nearest to two neighbours of 16 floats each.
inline __m512i round(__m512 low, __m512 high) { return (__m512i)_mm512_cvtne2ps_pbh(high, low); }

// Right sides: for every 32 channels two tiles, each [16 channel pairs][16 queries].
void pack_queries(const float* x, int head_dim, uint16_t* out) {
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

struct Halves {
  using Value = uint16_t;
  static __m512 load(const Value* x) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
  }
};

struct Floats {
  using Value = float;
  static __m512 load(const Value* x) { return _mm512_loadu_ps(x); }
};

constexpr int filled_up(int count) { return (count + kTileKeys - 1) / kTileKeys * kTileKeys; }

// Left sides as they are: [keys][head_dim].
template <typename From>
void pack_keys(const typename From::Value* keys, int count, int head_dim, uint16_t* out) {
  int there = count * head_dim, size = filled_up(count) * head_dim;
  for (int i = 0; i < there; i += 32) {
    _mm512_storeu_si512(out + i, round(From::load(keys + i), From::load(keys + i + 16)));
  }
  std::memset(out + there, 0, static_cast<size_t>(size - there) * sizeof(uint16_t));
}

// Left sides turned: for every 16 channels the tiles [16 channels][32 keys] of a block.
template <typename From>
void pack_values(const typename From::Value* values, int count, int head_dim, uint16_t* out) {
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

void pack_keys(const void* keys, bool halves, int count, int head_dim, uint16_t* out) {
  if (halves) return pack_keys<Halves>(static_cast<const uint16_t*>(keys), count, head_dim, out);
  pack_keys<Floats>(static_cast<const float*>(keys), count, head_dim, out);
}

void pack_values(const void* values, bool halves, int count, int head_dim, uint16_t* out) {
  if (halves) {
    return pack_values<Halves>(static_cast<const uint16_t*>(values), count, head_dim, out);
  }
  pack_values<Floats>(static_cast<const float*>(values), count, head_dim, out);
}

// Of 16 queries.
struct Column {
  float *offsets, *sums;  // [16]; offsets negated
  float* out;             // its first tile; the next are two tiles further
  float* scores;          // [block's keys][16], relative to the offsets
  uint32_t* shares;       // [block's pairs of keys][16], bfloat16
};

// 2^x, to 1e-4 of it: the powers of the floor by the exponent, those between by a polynomial.
inline __m512 exp2(__m512 x) {
  __m512 fraction = _mm512_reduce_ps(x, 0x09);
  __m512 y = _mm512_set1_ps(0.07802452f);
  y = _mm512_fmadd_ps(y, fraction, _mm512_set1_ps(0.22606716f));
  y = _mm512_fmadd_ps(y, fraction, _mm512_set1_ps(0.6958335f));
  y = _mm512_fmadd_ps(y, fraction, _mm512_set1_ps(0.9999252f));
  return _mm512_scalef_ps(y, x);
}

__m512 highest(const float* scores, int keys) {
  __m512 best[4];
  for (int i = 0; i < 4; ++i) best[i] = _mm512_loadu_ps(scores + i * kLanes);
  for (int key = 4; key < keys; key += 4) {
    for (int i = 0; i < 4; ++i) {
      best[i] = _mm512_max_ps(best[i], _mm512_loadu_ps(scores + (key + i) * kLanes));
    }
  }
  return _mm512_max_ps(_mm512_max_ps(best[0], best[1]), _mm512_max_ps(best[2], best[3]));
}

// Moves the offsets of the queries whose shares would grow too much, or that see their first keys.
void follow(const Column& column, int keys, int head_dim) {
  __m512 sums = _mm512_loadu_ps(column.sums), best = highest(column.scores, keys);
  __mmask16 fresh = _mm512_cmp_ps_mask(sums, _mm512_setzero_ps(), _CMP_EQ_OQ) &
                    _mm512_cmp_ps_mask(best, _mm512_set1_ps(kLowest), _CMP_GT_OQ);
  __mmask16 moved = fresh | _mm512_cmp_ps_mask(best, _mm512_set1_ps(kRoom), _CMP_GT_OQ);
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

// Keys [begin, end) of a block.
void take_shares(const Column& column, int begin, int end) {
  __m512 even = _mm512_loadu_ps(column.sums), odd = _mm512_setzero_ps();
  for (int key = begin; key < end; key += 2) {
    __m512 x = exp2(_mm512_load_ps(column.scores + key * kLanes));
    __m512 y = exp2(_mm512_load_ps(column.scores + (key + 1) * kLanes));
    even = _mm512_add_ps(even, x);
    odd = _mm512_add_ps(odd, y);
    _mm512_store_si512(column.shares + key / 2 * kLanes, pair(x, y));
  }
  _mm512_storeu_ps(column.sums, _mm512_add_ps(even, odd));
}

// A step and where it is worked out. Its three stages are cut into four parts each, so that the
// matrix unit has work from the step before and the step behind while shares are taken.
struct Stage {
  const TileStep& step;
  Column columns[2];

  bool two() const { return step.columns == 2; }

  // 32 keys · queries, beginning with the offsets, so that what comes out is relative to them.
  void multiply_keys(int part) const {
    if (part >= step.tiles) return;
    int head_dim = step.head_dim;
    const uint16_t* upper = step.keys + static_cast<int64_t>(part) * kTileKeys * head_dim;
    const uint16_t* lower = upper + 16 * head_dim;
    const uint16_t* queries = step.queries;
    _tile_loadd(0, columns[0].offsets, 0);
    _tile_loadd(1, columns[1].offsets, 0);
    _tile_loadd(2, columns[0].offsets, 0);
    _tile_loadd(3, columns[1].offsets, 0);
    for (int c = 0; c < head_dim; c += 32, queries += kTileBytes) {
      _tile_loadd(4, upper + c, 2 * head_dim);
      _tile_loadd(6, queries, 64);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(5, lower + c, 2 * head_dim);
      _tile_dpbf16ps(2, 5, 6);
      if (!two()) continue;
      _tile_loadd(7, queries + kTileBytes / 2, 64);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(3, 5, 7);
    }
    int64_t at = static_cast<int64_t>(part) * kTileKeys * kLanes;
    _tile_stored(0, columns[0].scores + at, 64);
    _tile_stored(2, columns[0].scores + at + kTileFloats, 64);
    if (!two()) return;
    _tile_stored(1, columns[1].scores + at, 64);
    _tile_stored(3, columns[1].scores + at + kTileFloats, 64);
  }

  // Half of the keys for 16 queries.
  void share(int part) const {
    if (part / 2 >= step.columns) return;
    const Column& column = columns[part / 2];
    int keys = step.tiles * kTileKeys;
    if (part % 2 == 0) {
      if (step.first != nullptr) hide_unseen(column, keys, part / 2 * kLanes);
      follow(column, keys, step.head_dim);
    }
    take_shares(column, keys / 2 * (part % 2), keys / 2 * (part % 2 + 1));
  }

  // Values · shares, for a quarter of the channels.
  void add_values(int part) const {
    int pairs = step.head_dim / 32;
    for (int i = (pairs * part + 3) / 4; i < (pairs * (part + 1) + 3) / 4; ++i) add_channels(i);
  }

 private:
  void hide_unseen(const Column& column, int keys, int query) const {
    __m512i from = _mm512_loadu_si512(step.first + query);
    __m512i to = _mm512_loadu_si512(step.stop + query);
    for (int key = 0; key < keys; ++key) {
      __m512i index = _mm512_set1_epi32(key);
      __mmask16 unseen = _mm512_cmplt_epi32_mask(index, from) | _mm512_cmple_epi32_mask(to, index);
      _mm512_mask_storeu_ps(column.scores + key * kLanes, unseen, _mm512_set1_ps(kUnseen));
    }
  }

  // Channels [32 index, 32 index + 32).
  void add_channels(int index) const {
    constexpr int64_t kNext = kBlockKeys * 16;  // from the values of 16 channels to the next
    const uint16_t* upper = step.values + 2 * index * kNext;
    float* left = columns[0].out + 4 * index * kTileFloats;
    float* right = columns[1].out + 4 * index * kTileFloats;
    _tile_loadd(0, left, 64);
    _tile_loadd(2, left + 2 * kTileFloats, 64);
    if (two()) _tile_loadd(1, right, 64);
    if (two()) _tile_loadd(3, right + 2 * kTileFloats, 64);
    for (int t = 0; t < step.tiles; ++t, upper += kTileBytes / 2) {
      _tile_loadd(4, upper, 64);
      _tile_loadd(6, columns[0].shares + t * kTileFloats, 64);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(5, upper + kNext, 64);
      _tile_dpbf16ps(2, 5, 6);
      if (!two()) continue;
      _tile_loadd(7, columns[1].shares + t * kTileFloats, 64);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, left, 64);
    _tile_stored(2, left + 2 * kTileFloats, 64);
    if (two()) _tile_stored(1, right, 64);
    if (two()) _tile_stored(3, right + 2 * kTileFloats, 64);
  }
};

struct Scratch {
  alignas(64) float scores[2][kBlockKeys * kLanes];
  alignas(64) uint32_t shares[2][kBlockKeys / 2 * kLanes];
};

Stage stage_of(const TileStep& step, Scratch& scratch) {
  auto column = [&](int i) -> Column {
    return {step.state + i * kLanes, step.state + kTileQueries + i * kLanes,
            step.state + 2 * kTileQueries + i * kTileFloats, scratch.scores[i], scratch.shares[i]};
  };
  return {step, {column(0), column(1)}};
}

// Asks for a share of what comes next, so that it is in the second cache by then.
void prefetch(const Ahead& ahead, int part, int parts) {
  int64_t lines = ahead.bytes / 64;
  for (int64_t i = lines * part / parts; i < lines * (part + 1) / parts; ++i) {
    _mm_prefetch(static_cast<const char*>(ahead.keys) + 64 * i, _MM_HINT_T1);
    _mm_prefetch(static_cast<const char*>(ahead.values) + 64 * i, _MM_HINT_T1);
  }
}

void run(const TileStep* steps, int count, const Ahead& ahead) {
  if (count == 0) return;
  Scratch scratch[2];
  TileScope scope;
  Stage first = stage_of(steps[0], scratch[0]);
  for (int part = 0; part < 4; ++part) first.multiply_keys(part);
  for (int i = 0; i < count; ++i) {
    Stage now = stage_of(steps[i], scratch[i % 2]);
    Stage before = stage_of(steps[i > 0 ? i - 1 : 0], scratch[(i + 1) % 2]);
    Stage behind = stage_of(steps[i + 1 < count ? i + 1 : i], scratch[(i + 1) % 2]);
    for (int part = 0; part < 4; ++part) {
      if (i > 0) before.add_values(part);
      if (i + 1 < count) behind.multiply_keys(part);
      prefetch(ahead, 4 * i + part, 4 * count);
      now.share(part);
    }
  }
  Stage last = stage_of(steps[count - 1], scratch[(count - 1) % 2]);
  for (int part = 0; part < 4; ++part) last.add_values(part);
}

// What each state counts in the answer of 16 queries: weights [count][16].
void weigh(const TileStates& states, int at, const float* sinks, float* weights) {
  const __m512 zero = _mm512_setzero_ps();
  auto offset = [&](int i) {
    return _mm512_sub_ps(zero, _mm512_loadu_ps(states.first + i * states.stride + at));
  };
  auto sum = [&](int i) {
    return _mm512_loadu_ps(states.first + i * states.stride + kTileQueries + at);
  };
  __m512 logits = sinks == nullptr ? _mm512_set1_ps(kUnseen)
                                   : _mm512_mul_ps(_mm512_loadu_ps(sinks), _mm512_set1_ps(kLog2E));
  __m512 best = logits;
  for (int i = 0; i < states.count; ++i) {
    __mmask16 some = _mm512_cmp_ps_mask(sum(i), zero, _CMP_NEQ_UQ);
    best = _mm512_mask_max_ps(best, some, best, offset(i));
  }
  __m512 total = exp2(_mm512_sub_ps(logits, best));
  for (int i = 0; i < states.count; ++i) {
    __mmask16 some = _mm512_cmp_ps_mask(sum(i), zero, _CMP_NEQ_UQ);
    __m512 weight = _mm512_maskz_mov_ps(some, exp2(_mm512_sub_ps(offset(i), best)));
    total = _mm512_fmadd_ps(weight, sum(i), total);
    _mm512_storeu_ps(weights + i * kLanes, weight);
  }
  for (int i = 0; i < states.count; ++i) {
    float* row = weights + i * kLanes;
    _mm512_storeu_ps(row, _mm512_div_ps(_mm512_loadu_ps(row), total));
  }
}

void finish(const TileStates& states, const float* sinks, float* const* out) {
  float weights[kMostStates * kLanes];
  for (int first = 0; first < kTileQueries && out[first] != nullptr; first += kLanes) {
    weigh(states, first, sinks == nullptr ? nullptr : sinks + first, weights);
    const float* tiles = states.first + 2 * kTileQueries + first / kLanes * kTileFloats;
    for (int c = 0; c < states.head_dim; c += 16, tiles += 2 * kTileFloats) {
      __m512i rows[16];
      for (int i = 0; i < 16; ++i) {
        __m512 sum = _mm512_setzero_ps();
        for (int part = 0; part < states.count; ++part) {
          sum = _mm512_fmadd_ps(_mm512_loadu_ps(weights + part * kLanes),
                                _mm512_loadu_ps(tiles + part * states.stride + i * kLanes), sum);
        }
        rows[i] = _mm512_castps_si512(sum);
      }
      transpose(rows);
      for (int i = 0; i < 16 && out[first + i] != nullptr; ++i) {
        _mm512_storeu_si512(out[first + i] + c, rows[i]);
      }
    }
  }
}

}  // namespace

const AttentionTiles* attention_tiles_amx() {
  static constexpr AttentionTiles kTiles{pack_queries, pack_keys, pack_values, run, finish};
  return amx_available() ? &kTiles : nullptr;
}

}  // namespace llm_host
#else
namespace llm_host {
const AttentionTiles* attention_tiles_amx() { return nullptr; }
}  // namespace llm_host
#endif
