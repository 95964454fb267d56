#include "kernels/packed/tiles.h"

#if defined(__AMX_BF16__) && defined(__AVX512BF16__) && defined(__linux__)
#include <stdlib.h>

#include "kernels/simd/amx.h"

namespace llm_host {
namespace {

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

constexpr int kRows = PackedMatrix::kBlockRows;
// Bytes to prefetch ahead: the hardware prefetcher stops at page boundaries.
constexpr int kAhead = 4096;
// Panels converted at a time, small enough to stay in the L2 cache. A panel is a block of weights
// as bfloat16 tiles: [cols / 2][16 rows][2 columns].
constexpr int kMaxPanels = 8;
constexpr int64_t kPanelBytes = 512 * 1024;

struct AlignedBuffer {
  uint8_t* bytes = nullptr;
  size_t capacity = 0;

  ~AlignedBuffer() { free(bytes); }
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
  __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
  if (type == Scales::kFloat16) return _mm512_cvtph_ps(bits);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

// As `pair`, but truncated instead of rounded: see kTruncationScale.
inline __m512i truncate(__m512 even, __m512 odd) {
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000));
  __m512i low = _mm512_srli_epi32(_mm512_castps_si512(even), 16);
  return _mm512_ternarylogic_epi32(low, _mm512_castps_si512(odd), upper, 0xf8);
}

// Dequantizes one group of a block to bfloat16.
template <Kind K>
void dequantize_group(const PackedMatrix& w, const uint8_t* group, uint8_t* out) {
  const __m512 table = _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  constexpr int kWeights = K == Kind::kAffine4 ? 8 : 4;
  const __m512 factor = _mm512_set1_ps(kTruncationScale);
  __m512 scale = _mm512_mul_ps(load_scales(w.scales, group), factor);
  __m512 bias = _mm512_mul_ps(load_scales(w.scales, group + w.scale_bytes()), factor);
  const uint8_t* words = group + 2 * w.scale_bytes();
  for (int i = 0; i < w.group_words(); ++i) {
    __m512i word = _mm512_load_si512(words + 64 * i);
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
      _mm512_store_si512(out, truncate(values[k], values[k + 1]));
    }
  }
}

void widen_float16(const uint8_t* words, int count, uint8_t* out) {
  for (int i = 0; i < count; ++i) {
    __m512i word = _mm512_load_si512(words + 64 * i);
    __m512 even = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(word));
    __m512 odd = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(word, 16)));
    _mm512_store_si512(out + 64 * i, pair(even, odd));
  }
}

// A block as a panel: converted to `out`, or in place if it is bfloat16 already.
const uint8_t* panel_of(const PackedMatrix& w, int block, uint8_t* out) {
  const uint8_t* source = w.data + block * w.block_bytes();
  if (w.kind == Kind::kBfloat16) return source;
  if (w.kind == Kind::kFloat16) {
    widen_float16(source, w.cols / 2, out);
    return out;
  }
  for (int g = 0; g < w.groups(); ++g) {
    const uint8_t* group = source + g * w.group_bytes();
    uint8_t* target = out + static_cast<int64_t>(g) * w.group_size / 2 * 64;
    if (w.kind == Kind::kAffine4) {
      dequantize_group<Kind::kAffine4>(w, group, target);
    } else {
      dequantize_group<Kind::kAffine8>(w, group, target);
    }
  }
  return out;
}

// Stores the products of 16 rows of x, from row `first`, with one block.
void store(const PackedMatrix& w, const float* tile, int m, int first, int block,
           const PackedOutput& out) {
  int row = block * kRows, count = w.rows - row < kRows ? w.rows - row : kRows;
  __mmask16 mask = static_cast<__mmask16>((1u << count) - 1);
  __m512 bias =
      out.bias == nullptr ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(mask, out.bias + row);
  for (int i = 0; i < kTileRows && first + i < m; ++i) {
    int64_t at = (first + i) * out.stride + row;
    __m512 total = _mm512_add_ps(_mm512_load_ps(tile + 16 * i), bias);
    if (out.residual != nullptr) {
      total = _mm512_add_ps(total, _mm512_maskz_loadu_ps(mask, out.residual + at));
    }
    _mm512_mask_storeu_ps(out.y + at, mask, total);
  }
}

// Up to 32 rows of x, from row i, by blocks b and b + 1, or b alone if `right` is nullptr.
void multiply_pair(const PackedMatrix& w, const uint16_t* rows, int m, int i, int b,
                   const uint8_t* left, const uint8_t* right, const PackedOutput& out) {
  alignas(64) float tiles[4 * kTileFloats];
  if (right != nullptr && i + kTileRows < m) {
    multiply_square(rows, w.cols, left, right, tiles);
    store(w, tiles, m, i, b, out);
    store(w, tiles + kTileFloats, m, i, b + 1, out);
    store(w, tiles + 2 * kTileFloats, m, i + kTileRows, b, out);
    store(w, tiles + 3 * kTileFloats, m, i + kTileRows, b + 1, out);
    return;
  }
  for (int first = i; first < m && first < i + 2 * kTileRows; first += kTileRows) {
    const uint16_t* upper = rows + static_cast<int64_t>(first - i) * w.cols;
    multiply_tile(upper, w.cols, left, tiles);
    store(w, tiles, m, first, b, out);
    if (right == nullptr) continue;
    multiply_tile(upper, w.cols, right, tiles);
    store(w, tiles, m, first, b + 1, out);
  }
}

int64_t panel_bytes(const PackedMatrix& w) { return int64_t{w.cols} / 2 * 64; }

// At most kMaxPanels blocks, the first of them even.
void multiply_blocks(const PackedMatrix& w, const uint16_t* x, int m, int begin, int end,
                     const PackedOutput& out) {
  static thread_local AlignedBuffer buffer;
  uint8_t* next = buffer.reserve(static_cast<size_t>((end - begin) * panel_bytes(w)));
  const uint8_t* panels[kMaxPanels];
  for (int b = begin; b < end; ++b, next += panel_bytes(w))
    panels[b - begin] = panel_of(w, b, next);
  TileScope scope;
  // x is larger than the panels: read it once, two tiles of rows at a time by all panels.
  for (int i = 0; i < m; i += 2 * kTileRows) {
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
  int step = fit < 2 ? 2 : fit > kMaxPanels ? kMaxPanels : fit;
  for (int b = begin; b < end; b += step) {
    multiply_blocks(w, x, m, b, b + step < end ? b + step : end, out);
  }
}

void round(const float* x, int cols, int row, uint16_t* out) {
  out += static_cast<int64_t>(row / 16) * 16 * cols + row % 16 * 32;
  for (int c = 0; c < cols; c += 32, out += kTileBytes / 2) {
    __m512bh both = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(x + c + 16), _mm512_loadu_ps(x + c));
    _mm512_storeu_si512(out, (__m512i)both);
  }
}

}  // namespace

const PackedTiles* packed_tiles_amx() {
  static constexpr PackedTiles kTiles{"amx", round, multiply};
  return amx_available() ? &kTiles : nullptr;
}

}  // namespace llm_host
#else
namespace llm_host {
const PackedTiles* packed_tiles_amx() { return nullptr; }
}  // namespace llm_host
#endif
