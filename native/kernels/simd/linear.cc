#include "kernels/simd/linear.h"

#include <algorithm>
#include <vector>

#include "kernels/base/thread_pool.h"

namespace llm_host {
namespace {

// Weights of a work item: some microseconds of work.
constexpr int kItemWeights = 48 * 1024;
// Floats of x at a time with the same arithmetic as for one row: they stay in the L2 cache.
constexpr int kSameFloats = 64 * 1024;
// Weight rows unpacked at a time for several rows of x: they stay in the L1 or L2 cache.
constexpr int kTileRows = 16;
// In floats: loads that cross a cache line cost double.
constexpr size_t kAlignment = 16;

// x · downᵀ · up; the product with `down`, [m, rank], is computed once, at construction.
class LowRankUpdate {
 public:
  LowRankUpdate(const Simd& simd, const CpuMatrix& w, const CpuLowRank& low_rank, const float* x,
                int m)
      : simd_(simd), low_rank_(low_rank), rows_(w.rows), m_(m) {
    int rank = low_rank.rank;
    down_.resize(static_cast<size_t>(m) * rank);
    simd.dots(x, w.cols, m, low_rank.down, w.cols, rank, w.cols, down_.data(), rank);
  }

  // Adds columns [begin, begin + count) of the update to y [m, rows].
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

// With weights unpacked in registers: for one row, or for the same bits as for one row.
void multiply_each(const Simd& simd, const CpuMatrix& w, const LowRankUpdate& update,
                   const float* x, int m, float* y) {
  static thread_local std::vector<float> shuffled;
  int64_t size = w.bits == 0 ? w.cols : simd.shuffled_size(w.cols, w.bits);
  float* start = nullptr;
  if (w.bits != 0) {
    shuffled.resize(static_cast<size_t>(m * size) + kAlignment);
    start = shuffled.data();
    while (reinterpret_cast<uintptr_t>(start) % (kAlignment * sizeof(float)) != 0) ++start;
    for (int64_t i = 0; i < m; ++i) simd.shuffle(x + i * w.cols, w.cols, w.bits, start + i * size);
  }
  int step = std::max(4, static_cast<int>(kSameFloats / size));
  int item_rows = std::max(4, kItemWeights / w.cols / 4 * 4);
  int items = (w.rows + item_rows - 1) / item_rows;
  parallel_for(items, [&](int i) {
    int begin = i * item_rows, end = std::min(w.rows, begin + item_rows);
    for (int first = 0; first < m; first += step) {
      GemvInput part{x, start + first * size, std::min(step, m - first), w.rows};
      simd.gemv(w, part, begin, end, y + static_cast<int64_t>(first) * w.rows);
    }
    update.add(begin, end - begin, y);
  });
}

void multiply_rows(const Simd& simd, const CpuMatrix& w, const LowRankUpdate& update,
                   const float* x, int m, float* y) {
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
    update.add(begin, count, y);
  });
}

}  // namespace

void multiply(const Simd& simd, const CpuMatrix& w, const CpuLowRank& low_rank, const float* x,
              int m, bool reproducible, float* y) {
  LowRankUpdate update(simd, w, low_rank, x, m);
  // The dense product for several rows gives one row the bits that it has among others.
  bool each = reproducible ? w.bits != 0 : m == 1;
  if (each) {
    multiply_each(simd, w, update, x, m, y);
  } else {
    multiply_rows(simd, w, update, x, m, y);
  }
}

}  // namespace llm_host
