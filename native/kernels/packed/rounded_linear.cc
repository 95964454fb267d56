#include "kernels/packed/rounded_linear.h"

#include <algorithm>
#include <vector>

#include "kernels/base/cpu_op.h"
#include "kernels/base/thread_pool.h"
#include "kernels/packed/sets/tiles.h"

namespace llm_host {

// In bfloat16.cc; nullptr if the build or the CPU has no instruction for it.
const PackedTiles* rounded_products_avx512();

namespace cpu {
namespace {

// Blocks of a work item, which share the rows of x; and rows that are rounded at a time.
constexpr int kItemBlocks = 8;
constexpr int kItemRows = 16;

struct alignas(64) CacheLine {
  uint16_t values[32];
};

const PackedTiles* products() {
  static const PackedTiles* chosen =
      instruction_set_allowed("avx512") ? rounded_products_avx512() : nullptr;
  return chosen;
}

void multiply(const PackedMatrix& w, const float* x, int m, const PackedOutput& out) {
  static thread_local std::vector<CacheLine> rounded;
  int tiles = (m + kTileRows - 1) / kTileRows;
  rounded.resize(static_cast<size_t>(tiles) * kTileRows * static_cast<size_t>(w.cols) / 32);
  uint16_t* rows = rounded.front().values;
  parallel_for((m + kItemRows - 1) / kItemRows, [&](int item) {
    for (int row = item * kItemRows; row < std::min(m, (item + 1) * kItemRows); ++row) {
      products()->round(x + int64_t{row} * w.cols, w.cols, row, rows);
    }
  });
  parallel_for((w.blocks() + kItemBlocks - 1) / kItemBlocks, [&](int item) {
    int begin = item * kItemBlocks;
    products()->multiply(w, rows, m, begin, std::min(w.blocks(), begin + kItemBlocks), out);
  });
}

}  // namespace

bool rounds_activations(const Packed& matrix) {
  const PackedMatrix& w = matrix.layout();
  bool fits = w.kind == PackedMatrix::Kind::kBfloat16 && w.cols % kTileColumns == 0;
  return fits && packed_tiles() == nullptr && products() != nullptr;
}

mx::array rounded_linear(const mx::array& x, const Packed& matrix,
                         const std::optional<mx::array>& bias,
                         const std::optional<mx::array>& residual) {
  std::vector<mx::array> inputs{x, matrix.buffer()};
  if (bias) inputs.push_back(*bias);
  if (residual) inputs.push_back(*residual);
  mx::Shape shape = x.shape();
  shape.back() = matrix.layout().rows;
  return cpu_op("RoundedLinear", std::move(shape), std::move(inputs),
                [w = matrix.layout(), biased = bias.has_value(), added = residual.has_value()](
                    const std::vector<mx::array>& in, mx::array& out) {
                  int m = static_cast<int>(in[0].size() / static_cast<size_t>(w.cols));
                  PackedOutput target{out.data<float>(), w.rows,
                                      biased ? in[2].data<float>() : nullptr,
                                      added ? in.back().data<float>() : nullptr};
                  multiply(w, in[0].data<float>(), m, target);
                });
}

}  // namespace cpu
}  // namespace llm_host
