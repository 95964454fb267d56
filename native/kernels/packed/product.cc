#include "kernels/packed/product.h"

#include <algorithm>

#include "kernels/base/thread_pool.h"
#include "kernels/packed/kernels.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

constexpr size_t kLine = 64;

// Weights that a thread takes at a time: some microseconds of work.
constexpr int kChunkWeights = 48 * 1024;
// Where there are many vectors: pieces for each thread, and blocks of a piece, which read the same
// vectors. Even: tiles take them in pairs.
constexpr int kPieces = 2;
constexpr int kMostBlocks = 16;
// Numbers of gate, and of up, that a thread makes at a time: 1 MB of both.
constexpr int kGatedNumbers = 128 * 1024;

// Memory that stays with its thread: a step needs the same again.
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

auto gated_by(Gate gate) { return gate == Gate::kSwiGlu ? simd().swiglu : simd().geglu; }

}  // namespace

void PackedProduct::run(const std::vector<PackedProductPart>& parts, const float* residual,
                        float* y) {
  prepare(parts);
  multiply_down(parts);
  int64_t stride = parts.back().column + parts.back().matrix.rows;
  std::vector<Item> items = items_of(parts);
  parallel_for(static_cast<int>(items.size()), [&](int i) {
    const Item& item = items[static_cast<size_t>(i)];
    const PackedProductPart& part = parts[static_cast<size_t>(item.part)];
    PackedOutput out{y + part.column, stride, part.bias,
                     residual == nullptr ? nullptr : residual + part.column};
    multiply(part, item, out);
  });
}

void PackedProduct::run_gated(const std::vector<PackedProductPart>& parts, Gate gate, int width,
                              float* y) {
  // One vector is bound by memory, which likes one matrix after the other.
  if (m_ == 1) {
    static thread_local Scratch<float> room;
    float* both = room.reserve(2 * static_cast<size_t>(width));
    run(parts, nullptr, both);
    return gated_by(gate)(both, both + width, width, y);
  }
  prepare(parts);
  multiply_down(parts);
  int blocks = blocks_of(width);
  // Gate and up are not to leave the nearest caches before they meet.
  int fit = kGatedNumbers / std::max(1, m_) / PackedMatrix::kBlockRows / 2 * 2;
  int step = std::min(blocks_at_once(blocks), std::max(2, fit));
  parallel_for((blocks + step - 1) / step, [&](int i) {
    run_gated_blocks(parts, gate, width, i * step, std::min(blocks, (i + 1) * step), y);
  });
}

void PackedProduct::run_gated_blocks(const std::vector<PackedProductPart>& parts, Gate gate,
                                     int width, int begin, int end, float* y) const {
  static thread_local Scratch<float> room;
  constexpr int kRows = PackedMatrix::kBlockRows;
  int first = begin * kRows, count = std::min(width, end * kRows) - first;
  float* both = room.reserve(2 * static_cast<size_t>(m_) * count);
  // Blocks [begin, end) behind the part's first `shift` ones, to columns of `both`.
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
  if (m_ >= kTileVectors && cols_ % kTileColumns == 0) tiles_ = packed_tiles();
  bool dense = false;
  for (const PackedProductPart& part : parts) {
    dense = dense || part.rank != 0 || (tiles_ == nullptr && !part.matrix.quantized());
    if (tiles_ == nullptr && part.matrix.quantized()) add_whole(part.matrix);
  }
  static thread_local Scratch<float> values;
  static thread_local Scratch<uint16_t> rounded;
  values_ = norm_weight_ == nullptr ? x_ : nullptr;
  float* filled =
      norm_weight_ != nullptr && dense ? values.reserve(static_cast<size_t>(m_) * cols_) : nullptr;
  if (filled != nullptr) values_ = filled;
  if (tiles_ != nullptr) {
    int rows = (m_ + kTileVectors - 1) / kTileVectors * kTileVectors;
    // Tiles come in pairs.
    rounded_ = rounded.reserve(static_cast<size_t>(rows + kTileVectors) * cols_);
  }
  auto one = [&](int row) { prepare_row(row, filled); };
  if (m_ == 1) {
    one(0);
  } else {
    parallel_for(m_, one);
  }
}

void PackedProduct::add_whole(const PackedMatrix& matrix) {
  if (whole_of(matrix) != nullptr) return;
  static thread_local Scratch<int8_t> numbers[kWholes];
  static thread_local Scratch<float> scales[kWholes];
  size_t i = wholes_.size();
  size_t groups = static_cast<size_t>(m_) * matrix.groups();
  float* both = scales[i].reserve(2 * groups);
  wholes_.push_back(
      {matrix, numbers[i].reserve(static_cast<size_t>(2 * m_) * cols_), both, both + groups});
}

const PackedProduct::Whole* PackedProduct::whole_of(const PackedMatrix& matrix) const {
  for (const Whole& whole : wholes_) {
    if (whole.like.kind == matrix.kind && whole.like.group_size == matrix.group_size) {
      return &whole;
    }
  }
  return nullptr;
}

void PackedProduct::prepare_row(int row, float* filled) {
  static thread_local Scratch<float> room;
  int64_t at = static_cast<int64_t>(row) * cols_;
  const float* values = x_ + at;
  if (norm_weight_ != nullptr) {
    float* target = filled != nullptr ? filled + at : room.reserve(static_cast<size_t>(cols_));
    simd().rms_norm(values, norm_weight_, cols_, eps_, target);
    values = target;
  }
  if (tiles_ != nullptr) tiles_->round(values, cols_, row, rounded_);
  for (const Whole& whole : wholes_) {
    int64_t groups = static_cast<int64_t>(row) * whole.like.groups();
    packed_kernels().quantize(values, whole.like, whole.numbers + 2 * at, whole.scales + groups,
                              whole.sums + groups);
  }
}

void PackedProduct::multiply_down(const std::vector<PackedProductPart>& parts) {
  downs_.assign(parts.size(), {});
  for (size_t i = 0; i < parts.size(); ++i) {
    int rank = parts[i].rank;
    if (rank == 0) continue;
    downs_[i].resize(static_cast<size_t>(m_) * rank);
    constexpr int kRows = 16;
    int chunks = (m_ + kRows - 1) / kRows;
    auto one = [&](int chunk) {
      int begin = chunk * kRows, count = std::min(kRows, m_ - begin);
      simd().dots(values_ + static_cast<int64_t>(begin) * cols_, cols_, count, parts[i].down, cols_,
                  rank, cols_, downs_[i].data() + static_cast<int64_t>(begin) * rank, rank);
    };
    if (chunks == 1) {
      one(0);
    } else {
      parallel_for(chunks, one);
    }
  }
}

int PackedProduct::blocks_at_once(int blocks) const {
  if (tiles_ != nullptr) {
    int even = blocks / (kPieces * thread_count()) / 2 * 2;
    return std::clamp(even, 2, kMostBlocks);
  }
  return std::max(1, kChunkWeights / cols_ / PackedMatrix::kBlockRows);
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
  // So that no thread waits for another's last one.
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
  multiply_matrix(part, item, out);
  if (part.rank != 0) add_up(item, part, out);
}

void PackedProduct::multiply_matrix(const PackedProductPart& part, const Item& item,
                                    const PackedOutput& out) const {
  if (tiles_ != nullptr) {
    tiles_->multiply(part.matrix, rounded_, m_, item.begin, item.end, out);
    return;
  }
  PackedInput input{values_, nullptr, nullptr, nullptr, m_};
  if (const Whole* whole = part.matrix.quantized() ? whole_of(part.matrix) : nullptr) {
    input = {nullptr, whole->numbers, whole->scales, whole->sums, m_};
  }
  packed_kernels().multiply(part.matrix, input, item.begin, item.end, out);
}

void PackedProduct::add_up(const Item& item, const PackedProductPart& part,
                           const PackedOutput& out) const {
  static thread_local Scratch<float> room;
  int begin = item.begin * PackedMatrix::kBlockRows;
  int count = std::min(part.matrix.rows, item.end * PackedMatrix::kBlockRows) - begin;
  float* sums = room.reserve(static_cast<size_t>(m_) * count);
  simd().weighted_sum(downs_[static_cast<size_t>(item.part)].data(), part.rank, m_, part.up + begin,
                      part.matrix.rows, part.rank, count, sums, count);
  for (int64_t i = 0; i < m_; ++i) {
    float* y = out.y + i * out.stride + begin;
    for (int row = 0; row < count; ++row) y[row] += sums[i * count + row];
  }
}

}  // namespace llm_host::cpu
