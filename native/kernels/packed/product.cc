#include "kernels/packed/product.h"

#include <algorithm>

#include "kernels/base/parallel_in_order.h"
#include "kernels/base/thread_pool.h"
#include "kernels/packed/sets/kernels.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

constexpr size_t kLine = 64;

// Weights of a work item: some microseconds of work.
constexpr int kItemWeights = 48 * 1024;
// With tiles: work items for each thread, and blocks of an item, which share the tiles of x. Even,
// as the kernels multiply blocks in pairs.
constexpr int kItemsPerThread = 2;
constexpr int kMaxBlocks = 16;
// These are for many rows without tiles, where the blocks share what they read of x.
constexpr int kManyRowsItems = 4;
constexpr int kManyRowsBlocks = 8;
// Outputs of gate, and of up, in a work item: 1 MB of both.
constexpr int kGatedFloats = 128 * 1024;

// 64-byte aligned memory that a thread keeps for its next call.
template <typename T>
class Scratch {
 public:
  T* reserve(size_t count) {
    if (values_.size() < count + kLine) values_.resize(count + kLine);
    uintptr_t address = reinterpret_cast<uintptr_t>(values_.data());
    return reinterpret_cast<T*>((address + kLine - 1) / kLine * kLine);
  }

 private:
  std::vector<T> values_;
};

int blocks_of(int rows) { return (rows + PackedMatrix::kBlockRows - 1) / PackedMatrix::kBlockRows; }

// An adapter's share of these rows is read in pieces far apart, which no prefetcher foresees:
// here while the product is computed.
void prefetch_up(const PackedProductPart& part, int begin, int end) {
  bool half = part.up.float16 != nullptr;
  const char* up = half ? reinterpret_cast<const char*>(part.up.float16)
                        : reinterpret_cast<const char*>(part.up.floats);
  int64_t size = half ? sizeof(uint16_t) : sizeof(float);
  for (int64_t r = 0; r < part.rank; ++r) {
    const char* row = up + r * part.matrix.rows * size;
    for (int64_t i = begin * size; i < end * size; i += kLine) __builtin_prefetch(row + i, 0, 2);
  }
}

auto gated_by(Gate gate) { return gate == Gate::kSwiGlu ? simd().swiglu : simd().geglu; }

}  // namespace

void PackedProduct::run(const std::vector<PackedProductPart>& parts, const float* residual,
                        float* y) {
  prepare(parts);
  multiply_down(parts);
  int64_t stride = parts.back().column + parts.back().matrix.rows;
  std::vector<Item> items = items_of(parts);
  // A thread that reads every other block waits for memory twice as long: the prefetchers follow
  // streams.
  parallel_in_order(static_cast<int>(items.size()), [&](int i) {
    const Item& item = items[static_cast<size_t>(i)];
    const PackedProductPart& part = parts[static_cast<size_t>(item.part)];
    PackedOutput out{y + part.column, stride, part.bias,
                     residual == nullptr ? nullptr : residual + part.column};
    multiply(part, item, out);
  });
}

void PackedProduct::run_gated(const std::vector<PackedProductPart>& parts, Gate gate, int width,
                              float* y) {
  // One row is memory-bound: stream one matrix at a time.
  if (m_ == 1) {
    static thread_local Scratch<float> scratch;
    float* both = scratch.reserve(2 * static_cast<size_t>(width));
    run(parts, nullptr, both);
    return gated_by(gate)(both, both + width, width, y);
  }
  prepare(parts);
  multiply_down(parts);
  int blocks = blocks_of(width);
  // Gate and up of an item should still be in the L2 cache when they are combined.
  int fit = kGatedFloats / std::max(1, m_) / PackedMatrix::kBlockRows / 2 * 2;
  int step = std::min(blocks_at_once(blocks), std::max(2, fit));
  parallel_in_order((blocks + step - 1) / step, [&](int i) {
    run_gated_blocks(parts, gate, width, i * step, std::min(blocks, (i + 1) * step), y);
  });
}

void PackedProduct::run_gated_blocks(const std::vector<PackedProductPart>& parts, Gate gate,
                                     int width, int begin, int end, float* y) const {
  static thread_local Scratch<float> scratch;
  constexpr int kRows = PackedMatrix::kBlockRows;
  int first = begin * kRows, count = std::min(width, end * kRows) - first;
  float* both = scratch.reserve(2 * static_cast<size_t>(m_) * count);
  // Blocks [begin + shift, end + shift) of a part -> columns of `both`.
  auto one = [&](int part, int shift, float* columns) {
    const PackedProductPart& p = parts[static_cast<size_t>(part)];
    float* row_0 = columns - first - static_cast<int64_t>(shift) * kRows;
    multiply(p, {part, begin + shift, end + shift}, {row_0, 2 * count, p.bias, nullptr});
  };
  bool fused = parts.size() == 1;
  one(0, 0, both);
  one(fused ? 0 : 1, fused ? width / kRows : 0, both + count);
  for (int64_t k = 0; k < m_; ++k) {
    const float* row = both + 2 * k * count;
    gated_by(gate)(row, row + count, count, y + k * width + first);
  }
}

void PackedProduct::prepare(const std::vector<PackedProductPart>& parts) {
  tiles_ = nullptr;
  bool fits = m_ >= kTileRows && cols_ % kTileColumns == 0;
  if (fits && !reproducible_) tiles_ = packed_tiles();
  bool dense = false;
  for (const PackedProductPart& part : parts) {
    dense = dense || part.rank != 0 || (tiles_ == nullptr && !part.matrix.quantized());
    if (tiles_ == nullptr && part.matrix.quantized()) add_int8(part.matrix);
  }
  static thread_local Scratch<float> values;
  static thread_local Scratch<uint16_t> rounded;
  values_ = norm_weight_ == nullptr ? x_ : nullptr;
  float* normed =
      norm_weight_ != nullptr && dense ? values.reserve(static_cast<size_t>(m_) * cols_) : nullptr;
  if (normed != nullptr) values_ = normed;
  if (tiles_ != nullptr) {
    int rows = (m_ + kTileRows - 1) / kTileRows * kTileRows;
    // One spare row of tiles, as the kernels read them in pairs.
    rounded_ = rounded.reserve(static_cast<size_t>(rows + kTileRows) * cols_);
  }
  // As many rows as share cache lines.
  constexpr int kRows = 8;
  auto some = [&](int i) {
    for (int row = i * kRows; row < std::min(m_, (i + 1) * kRows); ++row) prepare_row(row, normed);
  };
  int chunks = (m_ + kRows - 1) / kRows;
  if (chunks == 1) {
    some(0);
  } else {
    parallel_for(chunks, some);
  }
}

void PackedProduct::add_int8(const PackedMatrix& matrix) {
  if (int8_for(matrix) != nullptr) return;
  static thread_local Scratch<int8_t> int8[kMaxInt8];
  static thread_local Scratch<float> scales[kMaxInt8];
  static thread_local Scratch<int32_t> offsets[kMaxInt8];
  static thread_local Scratch<uint8_t> fine[kMaxInt8];
  size_t i = int8_.size();
  size_t groups = static_cast<size_t>(m_) * matrix.groups();
  float* both = scales[i].reserve(2 * groups);
  int8_t* bytes = int8[i].reserve(static_cast<size_t>(2 * m_) * cols_);
  int8_.push_back({matrix,
                   {bytes, both, both + groups, offsets[i].reserve(2 * groups),
                    fine[i].reserve(groups), m_, fine_above_}});
}

const PackedProduct::Int8Rows* PackedProduct::int8_for(const PackedMatrix& matrix) const {
  for (const Int8Rows& rows : int8_) {
    bool same_order = PackedMatrix::phases(rows.like.kind) == PackedMatrix::phases(matrix.kind);
    bool same_groups = rows.like.group_size == matrix.group_size && rows.like.zero == matrix.zero;
    if (same_order && same_groups) return &rows;
  }
  return nullptr;
}

void PackedProduct::prepare_row(int row, float* normed) {
  static thread_local Scratch<float> scratch;
  int64_t at = static_cast<int64_t>(row) * cols_;
  const float* values = x_ + at;
  if (norm_weight_ != nullptr) {
    float* target = normed != nullptr ? normed + at : scratch.reserve(static_cast<size_t>(cols_));
    simd().rms_norm(values, norm_weight_, cols_, eps_, target);
    values = target;
  }
  if (tiles_ != nullptr) tiles_->round(values, cols_, row, rounded_);
  for (const Int8Rows& int8 : int8_) packed_kernels().quantize(values, int8.like, row, int8.rows);
}

void PackedProduct::multiply_down(const std::vector<PackedProductPart>& parts) {
  // Some of x's rows with some of an adapter's. Few rows share all that is read of it.
  struct Down {
    size_t part;
    int row, rank, ranks;
  };
  constexpr int kRows = 16, kRanks = 8;
  down_products_.assign(parts.size(), {});
  std::vector<Down> all;
  for (size_t i = 0; i < parts.size(); ++i) {
    int rank = parts[i].rank, step = m_ > kRows ? rank : kRanks;
    down_products_[i].resize(static_cast<size_t>(m_) * rank);
    for (int row = 0; row < m_; row += kRows) {
      for (int r = 0; r < rank; r += step) all.push_back({i, row, r, std::min(step, rank - r)});
    }
  }
  parallel_for(static_cast<int>(all.size()), [&](int i) {
    auto [at, row, first, ranks] = all[static_cast<size_t>(i)];
    const PackedProductPart& part = parts[at];
    float* products = down_products_[at].data() + int64_t{row} * part.rank + first;
    const float* x = values_ + int64_t{row} * cols_;
    int rows = std::min(kRows, m_ - row);
    int64_t skipped = int64_t{first} * cols_;
    if (part.down.float16 != nullptr) {
      simd().dots_float16(x, cols_, rows, part.down.float16 + skipped, cols_, ranks, cols_,
                          products, part.rank);
    } else {
      simd().dots(x, cols_, rows, part.down.floats + skipped, cols_, ranks, cols_, products,
                  part.rank);
    }
  });
}

int PackedProduct::blocks_at_once(int blocks) const {
  if (tiles_ != nullptr) {
    int even = blocks / (kItemsPerThread * thread_count()) / 2 * 2;
    return std::clamp(even, 2, kMaxBlocks);
  }
  int some = std::max(1, kItemWeights / cols_ / PackedMatrix::kBlockRows);
  if (m_ == 1) return some;
  int many = m_ < kTileRows ? some : blocks / (kManyRowsItems * thread_count());
  // Even, as the kernels multiply blocks in pairs.
  return std::max(2, std::clamp(many, some, std::max(some, kManyRowsBlocks)) / 2 * 2);
}

std::vector<PackedProduct::Item> PackedProduct::items_of(
    const std::vector<PackedProductPart>& parts) const {
  std::vector<Item> items;
  int all = 0;
  for (const PackedProductPart& part : parts) all += part.matrix.blocks();
  int step = blocks_at_once(all);
  for (size_t i = 0; i < parts.size(); ++i) {
    int blocks = parts[i].matrix.blocks();
    for (int b = 0; b < blocks; b += step) {
      items.push_back({static_cast<int>(i), b, std::min(blocks, b + step)});
    }
  }
  // Halve the last item, so that threads wait less for the one that takes it.
  Item& last = items.back();
  int middle = last.begin + step / 2;
  if (tiles_ != nullptr && middle < last.end) {
    last.end = middle;
    items.push_back({last.part, middle, parts.back().matrix.blocks()});
  }
  return items;
}

void PackedProduct::multiply(const PackedProductPart& part, const Item& item,
                             const PackedOutput& out) const {
  int end = std::min(part.matrix.rows, item.end * PackedMatrix::kBlockRows);
  prefetch_up(part, item.begin * PackedMatrix::kBlockRows, end);
  multiply_matrix(part, item, out);
  if (part.rank != 0) add_low_rank(item, part, out);
}

void PackedProduct::multiply_matrix(const PackedProductPart& part, const Item& item,
                                    const PackedOutput& out) const {
  if (tiles_ != nullptr) {
    tiles_->multiply(part.matrix, rounded_, m_, item.begin, item.end, out);
    return;
  }
  PackedInput input{values_, {}, m_};
  if (part.matrix.quantized()) input = {nullptr, int8_for(part.matrix)->rows, m_};
  packed_kernels().multiply(part.matrix, input, item.begin, item.end, out);
}

void PackedProduct::add_low_rank(const Item& item, const PackedProductPart& part,
                                 const PackedOutput& out) const {
  static thread_local Scratch<float> scratch;
  int begin = item.begin * PackedMatrix::kBlockRows;
  int count = std::min(part.matrix.rows, item.end * PackedMatrix::kBlockRows) - begin;
  float* sums = scratch.reserve(static_cast<size_t>(m_) * count);
  const float* products = down_products_[static_cast<size_t>(item.part)].data();
  int all = part.matrix.rows;
  if (part.up.float16 != nullptr) {
    simd().weighted_sum_float16(products, part.rank, m_, part.up.float16 + begin, all, part.rank,
                                count, sums, count);
  } else {
    simd().weighted_sum(products, part.rank, m_, part.up.floats + begin, all, part.rank, count,
                        sums, count);
  }
  for (int64_t i = 0; i < m_; ++i) {
    float* y = out.y + i * out.stride + begin;
    for (int row = 0; row < count; ++row) y[row] += sums[i * count + row];
  }
}

}  // namespace llm_host::cpu
