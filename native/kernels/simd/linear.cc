#include "kernels/simd/linear.h"

#include <algorithm>
#include <vector>

#include "kernels/base/thread_pool.h"

namespace llm_host {
namespace {

// Weights that a thread takes at a time: some microseconds of work.
constexpr int kChunkWeights = 48 * 1024;
// Rows unpacked at a time when there are several x: the tile stays in the L1 or L2 cache.
constexpr int kTileRows = 16;
// In floats; a vector that crosses a cache line takes two loads.
constexpr size_t kAlignment = 16;

// What a low-rank matrix adds, once x has been brought down to `rank` values a row.
class Addition {
 public:
  Addition(const Simd& simd, const CpuMatrix& w, const CpuLowRank& low_rank, const float* x, int m)
      : simd_(simd), low_rank_(low_rank), rows_(w.rows), m_(m) {
    int rank = low_rank.rank;
    down_.resize(static_cast<size_t>(m) * rank);
    simd.dots(x, w.cols, m, low_rank.down, w.cols, rank, w.cols, down_.data(), rank);
  }

  // Adds to rows [begin, begin + count) of every y.
  void add(int begin, int count, float* y) const {
    if (low_rank_.rank == 0) return;
    static thread_local std::vector<float> sums;
    sums.resize(static_cast<size_t>(m_) * count);
    simd_.weighted_sum(down_.data(), low_rank_.rank, m_, low_rank_.up + begin, rows_,
                       low_rank_.rank, count, sums.data(), count);
    for (int64_t i = 0; i < m_; ++i) {
      for (int row = 0; row < count; ++row) y[i * rows_ + begin + row] += sums[i * count + row];
    }
  }

 private:
  const Simd& simd_;
  const CpuLowRank& low_rank_;
  int rows_;
  int m_;
  std::vector<float> down_;
};

void multiply_vector(const Simd& simd, const CpuMatrix& w, const Addition& addition, const float* x,
                     float* y) {
  static thread_local std::vector<float> shuffled;
  CpuVector vector{x, nullptr};
  if (w.bits != 0) {
    shuffled.resize(static_cast<size_t>(simd.shuffled_size(w.cols, w.bits)) + kAlignment);
    float* start = shuffled.data();
    while (reinterpret_cast<uintptr_t>(start) % (kAlignment * sizeof(float)) != 0) ++start;
    simd.shuffle(x, w.cols, w.bits, start);
    vector.shuffled = start;
  }
  int chunk = std::max(4, kChunkWeights / w.cols / 4 * 4);
  int chunks = (w.rows + chunk - 1) / chunk;
  parallel_for(chunks, [&](int i) {
    int begin = i * chunk, end = std::min(w.rows, begin + chunk);
    simd.matvec(w, vector, begin, end, y);
    addition.add(begin, end - begin, y);
  });
}

void multiply_matrix(const Simd& simd, const CpuMatrix& w, const Addition& addition, const float* x,
                     int m, float* y) {
  int tiles = (w.rows + kTileRows - 1) / kTileRows;
  parallel_for(tiles, [&](int tile) {
    int begin = tile * kTileRows, count = std::min(kTileRows, w.rows - begin);
    const float* rows = static_cast<const float*>(w.weight) + static_cast<int64_t>(begin) * w.cols;
    static thread_local std::vector<float> unpacked;
    if (w.bits != 0) {
      unpacked.resize(static_cast<size_t>(kTileRows) * w.cols);
      for (int i = 0; i < count; ++i) {
        simd.unpack(w, begin + i, unpacked.data() + static_cast<int64_t>(i) * w.cols);
      }
      rows = unpacked.data();
    }
    simd.dots(x, w.cols, m, rows, w.cols, count, w.cols, y + begin, w.rows);
    addition.add(begin, count, y);
  });
}

}  // namespace

void multiply(const Simd& simd, const CpuMatrix& w, const CpuLowRank& low_rank, const float* x,
              int m, float* y) {
  Addition addition(simd, w, low_rank, x, m);
  if (m == 1) {
    multiply_vector(simd, w, addition, x, y);
  } else {
    multiply_matrix(simd, w, addition, x, m, y);
  }
}

}  // namespace llm_host
