#include "kernels/packed/sets/tiles.h"

#if defined(__AVX512BF16__) && defined(__AVX512VL__)
#include <immintrin.h>

// Products of bfloat16 by AVX-512's own instruction, for CPUs without a matrix unit. As many rows
// of x and blocks of weights at a time as leave the accumulators in registers and the weights in
// the L1 cache.
namespace llm_host {
namespace {

constexpr int kRows = PackedMatrix::kBlockRows;
constexpr int kRowsAtOnce = 8;
constexpr int kBlocksAtOnce = 2;

// Adds bias and residual, and stores 16 products of a row of x.
void store(const PackedMatrix& w, __m512 total, int64_t row, int block, const PackedOutput& out) {
  int first = block * kRows, count = w.rows - first < kRows ? w.rows - first : kRows;
  __mmask16 mask = static_cast<__mmask16>((1u << count) - 1);
  int64_t at = row * out.stride + first;
  if (out.bias != nullptr) {
    total = _mm512_add_ps(total, _mm512_maskz_loadu_ps(mask, out.bias + first));
  }
  if (out.residual != nullptr) {
    total = _mm512_add_ps(total, _mm512_maskz_loadu_ps(mask, out.residual + at));
  }
  _mm512_mask_storeu_ps(out.y + at, mask, total);
}

// kRowsAtOnce rows of a tile of x, from row `first` on, by B blocks.
template <int B>
void multiply_square(const PackedMatrix& w, const uint16_t* x, int m, int first, int block,
                     const PackedOutput& out) {
  const uint8_t* panel = w.data + block * w.block_bytes();
  __m512 totals[kRowsAtOnce][B];
  for (auto& row : totals) {
    for (__m512& total : row) total = _mm512_setzero_ps();
  }
  for (int c = 0; c < w.cols; c += kTileColumns, x += kTileRows * kTileColumns) {
    for (int pair = 0; pair < kTileColumns; pair += 2, panel += 64) {
      __m512bh weights[B];
      for (int b = 0; b < B; ++b) {
        weights[b] = (__m512bh)_mm512_loadu_si512(panel + b * w.block_bytes());
      }
      for (int i = 0; i < kRowsAtOnce; ++i) {
        int32_t both;
        __builtin_memcpy(&both, x + i * kTileColumns + pair, sizeof both);
        __m512bh columns = (__m512bh)_mm512_set1_epi32(both);
        for (int b = 0; b < B; ++b) {
          totals[i][b] = _mm512_dpbf16_ps(totals[i][b], columns, weights[b]);
        }
      }
    }
  }
  for (int i = 0; i < kRowsAtOnce && first + i < m; ++i) {
    for (int b = 0; b < B; ++b) store(w, totals[i][b], first + i, block + b, out);
  }
}

void multiply(const PackedMatrix& w, const uint16_t* x, int m, int begin, int end,
              const PackedOutput& out) {
  for (int first = 0; first < m; first += kRowsAtOnce) {
    const uint16_t* rows = x + static_cast<int64_t>(first / kTileRows) * kTileRows * w.cols +
                           first % kTileRows * kTileColumns;
    int block = begin;
    for (; block + kBlocksAtOnce <= end; block += kBlocksAtOnce) {
      multiply_square<kBlocksAtOnce>(w, rows, m, first, block, out);
    }
    for (; block < end; ++block) multiply_square<1>(w, rows, m, first, block, out);
  }
}

void round(const float* x, int cols, int row, uint16_t* out) {
  out += static_cast<int64_t>(row / kTileRows) * kTileRows * cols + row % kTileRows * kTileColumns;
  for (int c = 0; c < cols; c += kTileColumns, out += kTileRows * kTileColumns) {
    __m512bh both = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(x + c + 16), _mm512_loadu_ps(x + c));
    _mm512_storeu_si512(out, (__m512i)both);
  }
}

bool available() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}

}  // namespace

const PackedTiles* rounded_products_avx512() {
  static constexpr PackedTiles kProducts{"avx512", round, multiply};
  return available() ? &kProducts : nullptr;
}

}  // namespace llm_host
#else
namespace llm_host {
const PackedTiles* rounded_products_avx512() { return nullptr; }
}  // namespace llm_host
#endif
