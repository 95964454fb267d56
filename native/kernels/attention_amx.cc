#include "kernels/attention_tiles.h"
#include "kernels/packed_tiles.h"

#if defined(__AMX_BF16__) && defined(__AVX512BF16__) && defined(__linux__)
#include "kernels/amx.h"

namespace llm_host {
namespace {

// Two tiles of 16 keys, each [head_dim / 2 channel pairs][16 keys].
void pack_keys(const float* keys, int count, int head_dim, int tile, uint16_t* out) {
  uint32_t* words = reinterpret_cast<uint32_t*>(out) + static_cast<int64_t>(tile) * 16 * head_dim;
  for (int key = 0; key < kTileKeys; ++key) {
    uint32_t* column = words + key / 16 * 8 * head_dim + key % 16;
    for (int c = 0; c < head_dim; c += 32) {
      __m512 low{}, high{};
      if (key < count) {
        low = _mm512_loadu_ps(keys + static_cast<int64_t>(key) * head_dim + c);
        high = _mm512_loadu_ps(keys + static_cast<int64_t>(key) * head_dim + c + 16);
      }
      alignas(64) uint32_t pairs[16];
      _mm512_store_si512(pairs, (__m512i)_mm512_cvtne2ps_pbh(high, low));
      for (int i = 0; i < 16; ++i) column[(c / 2 + i) * 16] = pairs[i];
    }
  }
}

// For every 16 channels a column of tiles, each [16 key pairs][16 channels].
void pack_values(const float* values, int count, int head_dim, int tile, int tiles,
                 uint16_t* out) {
  uint8_t* bytes = reinterpret_cast<uint8_t*>(out);
  auto row = [&](int key, int c) {
    return key < count ? _mm512_loadu_ps(values + static_cast<int64_t>(key) * head_dim + c)
                       : _mm512_setzero_ps();
  };
  for (int c = 0; c < head_dim; c += 16) {
    uint8_t* target = bytes + (static_cast<int64_t>(c / 16) * tiles + tile) * kTileBytes;
    for (int key = 0; key < kTileKeys; key += 2) {
      _mm512_storeu_si512(target + key / 2 * 64, pair(row(key, c), row(key + 1, c)));
    }
  }
}

void round_values(const float* x, int n, uint16_t* out) {
  for (int i = 0; i < n; i += 32) {
    __m512bh both = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(x + i + 16), _mm512_loadu_ps(x + i));
    _mm512_storeu_si512(out + i, (__m512i)both);
  }
}

// The four tiles of a square, to out [32, stride].
void store_square(const float* tiles, float* out, int64_t stride) {
  for (int row = 0; row < kTileQueries; ++row) {
    const float* source = tiles + row / 16 * 2 * kTileFloats + row % 16 * 16;
    _mm512_storeu_ps(out + row * stride, _mm512_load_ps(source));
    _mm512_storeu_ps(out + row * stride + 16, _mm512_load_ps(source + kTileFloats));
  }
}

void scores(const uint16_t* queries, const uint16_t* keys, int begin, int end, int head_dim,
            float* out, int64_t stride) {
  alignas(64) float tiles[4 * kTileFloats];
  TileScope scope;
  for (int t = begin; t < end; ++t) {
    const uint8_t* left =
        reinterpret_cast<const uint8_t*>(keys) + static_cast<int64_t>(t) * 64 * head_dim;
    multiply_square(queries, head_dim, head_dim, left, left + 32 * head_dim, tiles);
    store_square(tiles, out + static_cast<int64_t>(t - begin) * kTileKeys, stride);
  }
}

void weighted_sum(const uint16_t* shares, int64_t stride, const uint16_t* values, int begin,
                  int end, int tiles, int head_dim, float* out) {
  alignas(64) float square[4 * kTileFloats];
  TileScope scope;
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(values);
  for (int c = 0; c < head_dim; c += 32) {
    const uint8_t* left = bytes + (static_cast<int64_t>(c / 16) * tiles + begin) * kTileBytes;
    multiply_square(shares, stride, (end - begin) * kTileKeys, left,
                    left + static_cast<int64_t>(tiles) * kTileBytes, square);
    store_square(square, out + c, head_dim);
  }
}

}  // namespace

const AttentionTiles* attention_tiles() {
  static constexpr AttentionTiles kTiles{pack_keys, pack_values, round_values, scores,
                                         weighted_sum};
  return packed_tiles() == nullptr ? nullptr : &kTiles;
}

}  // namespace llm_host
#else
namespace llm_host {
const AttentionTiles* attention_tiles() { return nullptr; }
}  // namespace llm_host
#endif
