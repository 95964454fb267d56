#include "kernels/attention/tiles.h"

#if defined(__AMX_BF16__) && defined(__AVX512BF16__) && defined(__linux__)
#include "kernels/attention/amx_convert.h"
#include "kernels/attention/amx_softmax.h"
#include "kernels/simd/amx.h"

namespace llm_host {
namespace {

// A step with its scratch memory. Each of its three stages (scores, softmax, output) is cut into
// four parts, so that the matrix unit can work on the neighbouring steps while the vector unit
// computes this one's softmax.
struct Stage {
  const TileStep& step;
  Column columns[2];

  bool two() const { return step.columns == 2; }

  // Scores of 32 keys. The accumulators start as the negated offsets, so the scores come out
  // relative to them.
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

  // Softmax weights of half of the keys for 16 queries.
  void softmax(int part) const {
    if (part / 2 >= step.columns) return;
    const Column& column = columns[part / 2];
    int keys = step.tiles * kTileKeys;
    if (part % 2 == 0) {
      if (step.first != nullptr) mask_scores(column, keys, part / 2 * kLanes);
      rescale(column, keys, step.head_dim);
    }
    exponentiate(column, keys / 2 * (part % 2), keys / 2 * (part % 2 + 1));
  }

  // Adds values · weights for a quarter of the channels.
  void add_values(int part) const {
    int pairs = step.head_dim / 32;
    for (int i = (pairs * part + 3) / 4; i < (pairs * (part + 1) + 3) / 4; ++i) add_channels(i);
  }

 private:
  void mask_scores(const Column& column, int keys, int query) const {
    __m512i from = _mm512_loadu_si512(step.first + query);
    __m512i to = _mm512_loadu_si512(step.stop + query);
    for (int key = 0; key < keys; ++key) {
      __m512i index = _mm512_set1_epi32(key);
      __mmask16 masked = _mm512_cmplt_epi32_mask(index, from) | _mm512_cmple_epi32_mask(to, index);
      _mm512_mask_storeu_ps(column.scores + key * kLanes, masked, _mm512_set1_ps(kMasked));
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
      _tile_loadd(6, columns[0].weights + t * kTileFloats, 64);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(5, upper + kNext, 64);
      _tile_dpbf16ps(2, 5, 6);
      if (!two()) continue;
      _tile_loadd(7, columns[1].weights + t * kTileFloats, 64);
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
  alignas(64) uint32_t weights[2][kBlockKeys / 2 * kLanes];
};

Stage stage_of(const TileStep& step, Scratch& scratch) {
  auto column = [&](int i) -> Column {
    return {step.state + i * kLanes, step.state + kTileQueries + i * kLanes,
            step.state + 2 * kTileQueries + i * kTileFloats, scratch.scores[i], scratch.weights[i]};
  };
  return {step, {column(0), column(1)}};
}

// Prefetches part `part` of `parts` into the L2 cache.
void prefetch(const NextKeys& next, int part, int parts) {
  int64_t lines = next.bytes / 64;
  for (int64_t i = lines * part / parts; i < lines * (part + 1) / parts; ++i) {
    _mm_prefetch(static_cast<const char*>(next.keys) + 64 * i, _MM_HINT_T1);
    _mm_prefetch(static_cast<const char*>(next.values) + 64 * i, _MM_HINT_T1);
  }
}

// A software pipeline: while step i is in its softmax, step i - 1 adds its values and step i + 1
// multiplies its keys.
void run(const TileStep* steps, int count, const NextKeys& next) {
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
      prefetch(next, 4 * i + part, 4 * count);
      now.softmax(part);
    }
  }
  Stage last = stage_of(steps[count - 1], scratch[(count - 1) % 2]);
  for (int part = 0; part < 4; ++part) last.add_values(part);
}

void finish(const TileStates& states, const float* sinks, float* const* out) {
  float factors[kMaxStates * kLanes];
  for (int first = 0; first < kTileQueries && out[first] != nullptr; first += kLanes) {
    merge_factors(states, first, sinks == nullptr ? nullptr : sinks + first, factors);
    const float* tiles = states.first + 2 * kTileQueries + first / kLanes * kTileFloats;
    for (int c = 0; c < states.head_dim; c += 16, tiles += 2 * kTileFloats) {
      __m512i rows[16];
      for (int i = 0; i < 16; ++i) {
        __m512 sum = _mm512_setzero_ps();
        for (int part = 0; part < states.count; ++part) {
          sum = _mm512_fmadd_ps(_mm512_loadu_ps(factors + part * kLanes),
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
  static constexpr AttentionTiles kTiles{convert_queries, convert_keys, convert_values, run,
                                         finish};
  return amx_available() ? &kTiles : nullptr;
}

}  // namespace llm_host
#else
namespace llm_host {
const AttentionTiles* attention_tiles_amx() { return nullptr; }
}  // namespace llm_host
#endif
