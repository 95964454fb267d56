#include "kernels/packed/tiles.h"

#if defined(__AMX_BF16__) && defined(__AVX512BF16__) && defined(__linux__)
#include <stdlib.h>

#include "kernels/simd/amx.h"

namespace llm_host {
namespace {

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

constexpr int kRows = PackedMatrix::kBlockRows;
// Columns in pairs, 16 rows side by side: [cols / 2][16] words.
struct Panel {
  uint8_t* bytes = nullptr;
  size_t capacity = 0;

  ~Panel() { free(bytes); }
  uint8_t* reserve(size_t wanted) {
    if (wanted > capacity) {
      free(bytes);
      bytes = static_cast<uint8_t*>(aligned_alloc(64, (wanted + 63) / 64 * 64));
      capacity = bytes == nullptr ? 0 : wanted;
      if (bytes == nullptr) abort();
    }
    return bytes;
  }
};

inline __m512 load_scales(Scales type, const uint8_t* source) {
  if (type == Scales::kFloat32) return _mm512_loadu_ps(source);
  __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
  if (type == Scales::kFloat16) return _mm512_cvtph_ps(halves);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

constexpr int kAhead = 4096;
// Widened blocks at a time, which are to stay in the second cache.
constexpr int kMostPanels = 8;
constexpr int64_t kPanelBytes = 512 * 1024;

// As pair, but cut off instead of rounded: see kBeforeCut.
inline __m512i cut(__m512 even, __m512 odd) {
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000));
  __m512i low = _mm512_srli_epi32(_mm512_castps_si512(even), 16);
  return _mm512_ternarylogic_epi32(low, _mm512_castps_si512(odd), upper, 0xf8);
}

template <Kind K>
void widen_group(const PackedMatrix& w, const uint8_t* group, uint8_t* out) {
  const __m512 table = _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  constexpr int kWeights = K == Kind::kAffine4 ? 8 : 4;
  const __m512 larger = _mm512_set1_ps(kBeforeCut);
  __m512 scale = _mm512_mul_ps(load_scales(w.scales, group), larger);
  __m512 bias = _mm512_mul_ps(load_scales(w.scales, group + w.scale_bytes()), larger);
  const uint8_t* words = group + 2 * w.scale_bytes();
  for (int i = 0; i < w.group_words(); ++i) {
    __m512i word = _mm512_load_si512(words + 64 * i);
    // Of the blocks that follow: several pages of them are on their way at a time.
    __builtin_prefetch(words + 64 * i + kAhead);
    __m512 values[kWeights];
    for (int k = 0; k < kWeights; ++k) {
      if constexpr (K == Kind::kAffine4) {
        values[k] = _mm512_permutexvar_ps(_mm512_srli_epi32(word, 4 * k), table);
      } else {
        __m512i byte = _mm512_and_si512(_mm512_srli_epi32(word, 8 * k), _mm512_set1_epi32(255));
        values[k] = _mm512_cvtepi32_ps(byte);
      }
      values[k] = _mm512_fmadd_ps(values[k], scale, bias);
    }
    for (int k = 0; k < kWeights; k += 2, out += 64) {
      _mm512_store_si512(out, cut(values[k], values[k + 1]));
    }
  }
}

void widen_halves(const uint8_t* words, int count, uint8_t* out) {
  for (int i = 0; i < count; ++i) {
    __m512i word = _mm512_load_si512(words + 64 * i);
    __m512 even = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(word));
    __m512 odd = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(word, 16)));
    _mm512_store_si512(out + 64 * i, pair(even, odd));
  }
}

// The block's weights as tiles want them: where they are so already, where they lie.
const uint8_t* widen(const PackedMatrix& w, int block, uint8_t* out) {
  const uint8_t* source = w.data + block * w.block_bytes();
  if (w.kind == Kind::kBfloat16) return source;
  if (w.kind == Kind::kFloat16) {
    widen_halves(source, w.cols / 2, out);
    return out;
  }
  for (int g = 0; g < w.groups(); ++g) {
    const uint8_t* group = source + g * w.group_bytes();
    uint8_t* target = out + static_cast<int64_t>(g) * w.group_size / 2 * 64;
    if (w.kind == Kind::kAffine4) {
      widen_group<Kind::kAffine4>(w, group, target);
    } else {
      widen_group<Kind::kAffine8>(w, group, target);
    }
  }
  return out;
}

void store(const PackedMatrix& w, const float* tile, int m, int first, int block,
           const PackedOutput& out) {
  int row = block * kRows, count = w.rows - row < kRows ? w.rows - row : kRows;
  __mmask16 mask = static_cast<__mmask16>((1u << count) - 1);
  __m512 bias =
      out.bias == nullptr ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(mask, out.bias + row);
  for (int i = 0; i < kTileVectors && first + i < m; ++i) {
    int64_t at = (first + i) * out.stride + row;
    __m512 total = _mm512_add_ps(_mm512_load_ps(tile + 16 * i), bias);
    if (out.residual != nullptr) {
      total = _mm512_add_ps(total, _mm512_maskz_loadu_ps(mask, out.residual + at));
    }
    _mm512_mask_storeu_ps(out.y + at, mask, total);
  }
}

// Up to 32 rows of x, from row `i`, by one or two blocks.
void multiply_pair(const PackedMatrix& w, const uint16_t* rows, int m, int i, int b,
                   const uint8_t* left, const uint8_t* right, const PackedOutput& out) {
  alignas(64) float tiles[4 * kTileFloats];
  if (right != nullptr && i + kTileVectors < m) {
    multiply_square(rows, w.cols, left, right, tiles);
    store(w, tiles, m, i, b, out);
    store(w, tiles + kTileFloats, m, i, b + 1, out);
    store(w, tiles + 2 * kTileFloats, m, i + kTileVectors, b, out);
    store(w, tiles + 3 * kTileFloats, m, i + kTileVectors, b + 1, out);
    return;
  }
  for (int first = i; first < m && first < i + 2 * kTileVectors; first += kTileVectors) {
    const uint16_t* upper = rows + static_cast<int64_t>(first - i) * w.cols;
    multiply_tile(upper, w.cols, left, tiles);
    store(w, tiles, m, first, b, out);
    if (right == nullptr) continue;
    multiply_tile(upper, w.cols, right, tiles);
    store(w, tiles, m, first, b + 1, out);
  }
}

int64_t panel_bytes(const PackedMatrix& w) { return int64_t{w.cols} / 2 * 64; }

// At most kMostPanels blocks, from an even one.
void multiply_blocks(const PackedMatrix& w, const uint16_t* x, int m, int begin, int end,
                     const PackedOutput& out) {
  static thread_local Panel panel;
  uint8_t* room = panel.reserve(static_cast<size_t>((end - begin) * panel_bytes(w)));
  const uint8_t* panels[kMostPanels];
  for (int b = begin; b < end; ++b, room += panel_bytes(w)) panels[b - begin] = widen(w, b, room);
  TileScope scope;
  // A few rows of x at a time by all panels: x is larger than the panels, and read once.
  for (int i = 0; i < m; i += 2 * kTileVectors) {
    const uint16_t* rows = x + static_cast<int64_t>(i) * w.cols;
    for (int b = begin; b < end; b += 2) {
      const uint8_t* const* pair = panels + (b - begin);
      multiply_pair(w, rows, m, i, b, pair[0], b + 1 < end ? pair[1] : nullptr, out);
    }
  }
}

void multiply(const PackedMatrix& w, const uint16_t* x, int m, int begin, int end,
              const PackedOutput& out) {
  int fit = static_cast<int>(kPanelBytes / panel_bytes(w)) / 2 * 2;
  int step = fit < 2 ? 2 : fit > kMostPanels ? kMostPanels : fit;
  for (int b = begin; b < end; b += step) {
    multiply_blocks(w, x, m, b, b + step < end ? b + step : end, out);
  }
}

void round_values(const float* x, int cols, int row, uint16_t* out) {
  out += static_cast<int64_t>(row / 16) * 16 * cols + row % 16 * 32;
  for (int c = 0; c < cols; c += 32, out += kTileBytes / 2) {
    __m512bh both = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(x + c + 16), _mm512_loadu_ps(x + c));
    _mm512_storeu_si512(out, (__m512i)both);
  }
}

}  // namespace

const PackedTiles* packed_tiles_amx() {
  static constexpr PackedTiles kTiles{"amx", round_values, multiply};
  return amx_available() ? &kTiles : nullptr;
}

}  // namespace llm_host
#else
namespace llm_host {
const PackedTiles* packed_tiles_amx() { return nullptr; }
}  // namespace llm_host
#endif
