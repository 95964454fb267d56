#include "kernels/packed/sets/tiles.h"

#if defined(__AMX_BF16__) && defined(__AVX512BF16__) && defined(__linux__)
#include <stdlib.h>

#include "kernels/packed/sets/panels.h"
#include "kernels/simd/amx.h"

namespace llm_host {
namespace {

using Kind = PackedMatrix::Kind;

constexpr int kRows = PackedMatrix::kBlockRows;
// Panels converted at a time, small enough to stay in the L2 cache.
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

// A block as a panel: converted to `out`, or in place if it is bfloat16 already.
const uint8_t* panel_of(const PackedMatrix& w, int block, uint8_t* out) {
  if (w.kind == Kind::kBfloat16) return w.data + block * w.block_bytes();
  unpack_panel(w, block, out);
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
