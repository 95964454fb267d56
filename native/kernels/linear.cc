#include "kernels/linear.h"

#include <algorithm>
#include <vector>

#include "kernels/thread_pool.h"

namespace llm_host {
namespace {

// Weights that a thread takes at a time: some microseconds of work.
constexpr int kChunkWeights = 48 * 1024;
// Rows unpacked at a time when there are several x: the tile stays in the L1 or L2 cache.
constexpr int kTileRows = 16;
// In floats; a vector that crosses a cache line takes two loads.
constexpr size_t kAlignment = 16;

void multiply_vector(const Simd& simd, const CpuMatrix& w, const float* x, float* y) {
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
    int begin = i * chunk;
    simd.matvec(w, vector, begin, std::min(w.rows, begin + chunk), y);
  });
}

void multiply_matrix(const Simd& simd, const CpuMatrix& w, const float* x, int m, float* y) {
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
  });
}

}  // namespace

void multiply(const Simd& simd, const CpuMatrix& w, const float* x, int m, float* y) {
  if (m == 1) {
    multiply_vector(simd, w, x, y);
  } else {
    multiply_matrix(simd, w, x, m, y);
  }
}

}  // namespace llm_host
