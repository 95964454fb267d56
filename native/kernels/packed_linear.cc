#include "kernels/packed_linear.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu_op.h"
#include "kernels/packed_kernels.h"
#include "kernels/packed_tiles.h"
#include "kernels/simd.h"
#include "kernels/thread_pool.h"

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

const PackedTiles* tiles() {
  static const PackedTiles* chosen = simd_wanted("amx") ? packed_tiles() : nullptr;
  return chosen;
}

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

struct Part {
  PackedMatrix matrix;
  const float* bias;
  const float* down;
  const float* up;
  int rank;
  int64_t column;  // of its first row in the output
};

// One call: x in the forms that the parts need, and what each part makes of it.
class Product {
 public:
  // `norm_weight`: nullptr for x as it is.
  Product(const float* x, const float* norm_weight, float eps, int m, int cols)
      : x_(x), norm_weight_(norm_weight), eps_(eps), m_(m), cols_(cols) {}

  void run(const std::vector<Part>& parts, const float* residual, float* y) {
    prepare(parts);
    multiply_down(parts);
    int64_t stride = parts.back().column + parts.back().matrix.rows;
    std::vector<Item> items = items_of(parts);
    parallel_for(static_cast<int>(items.size()), [&](int i) {
      const Item& item = items[static_cast<size_t>(i)];
      const Part& part = parts[static_cast<size_t>(item.part)];
      PackedOutput out{y + part.column, stride, part.bias,
                       residual == nullptr ? nullptr : residual + part.column};
      multiply(part, item, out);
    });
  }

  // y [m, width]: the gate · x, gated with the up · x. Neither leaves the nearest caches.
  void run_gated(const std::vector<Part>& parts, Gate gate, int width, float* y) {
    auto gated = gate == Gate::kSwiGlu ? simd().swiglu : simd().geglu;
    // One vector is bound by memory, which likes one matrix after the other.
    if (m_ == 1) {
      static thread_local Scratch<float> room;
      float* both = room.reserve(2 * static_cast<size_t>(width));
      run(parts, nullptr, both);
      return gated(both, both + width, width, y);
    }
    prepare(parts);
    multiply_down(parts);
    constexpr int kRows = PackedMatrix::kBlockRows;
    int up_part = static_cast<int>(parts.size()) - 1, up_block = up_part == 0 ? width / kRows : 0;
    int blocks = (width + kRows - 1) / kRows;
    int step = std::min(blocks_at_once(blocks),
                        std::max(2, kGatedNumbers / std::max(1, m_) / kRows / 2 * 2));
    parallel_for((blocks + step - 1) / step, [&](int i) {
      static thread_local Scratch<float> room;
      int begin = i * step, end = std::min(blocks, begin + step);
      int first = begin * kRows, count = std::min(width, end * kRows) - first;
      float* both = room.reserve(2 * static_cast<size_t>(m_) * count);
      // Blocks [begin, end) behind the part's first `shift` ones, to columns of `both`.
      auto one = [&](int part, int shift, float* columns) {
        const Part& p = parts[static_cast<size_t>(part)];
        float* row_0 = columns - first - static_cast<int64_t>(shift) * kRows;
        multiply(p, {part, begin + shift, end + shift}, {row_0, 2 * count, p.bias, nullptr});
      };
      one(0, 0, both);
      one(up_part, up_block, both + count);
      for (int64_t k = 0; k < m_; ++k) {
        const float* row = both + 2 * k * count;
        gated(row, row + count, count, y + k * width + first);
      }
    });
  }

 private:
  struct Item {
    int part, begin, end;  // blocks
  };
  // The whole numbers of x for matrices of one kind and group size.
  struct Whole {
    PackedMatrix like;
    int8_t* numbers;
    float *scales, *sums;
  };

  void prepare(const std::vector<Part>& parts) {
    tiles_ = nullptr;
    if (m_ >= kTileVectors && cols_ % kTileColumns == 0) tiles_ = tiles();
    bool dense = false;
    for (const Part& part : parts) {
      dense = dense || part.rank != 0 || (tiles_ == nullptr && !part.matrix.quantised());
      if (tiles_ == nullptr && part.matrix.quantised()) add_whole(part.matrix);
    }
    static thread_local Scratch<float> values;
    static thread_local Scratch<uint16_t> rounded;
    values_ = norm_weight_ == nullptr ? x_ : nullptr;
    float* filled = norm_weight_ != nullptr && dense
                        ? values.reserve(static_cast<size_t>(m_) * cols_)
                        : nullptr;
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

  void add_whole(const PackedMatrix& matrix) {
    if (whole_of(matrix) != nullptr) return;
    static thread_local Scratch<int8_t> numbers[kWholes];
    static thread_local Scratch<float> scales[kWholes];
    size_t i = wholes_.size();
    size_t groups = static_cast<size_t>(m_) * matrix.groups();
    float* both = scales[i].reserve(2 * groups);
    wholes_.push_back(
        {matrix, numbers[i].reserve(static_cast<size_t>(2 * m_) * cols_), both, both + groups});
  }

  const Whole* whole_of(const PackedMatrix& matrix) const {
    for (const Whole& whole : wholes_) {
      if (whole.like.kind == matrix.kind && whole.like.group_size == matrix.group_size) {
        return &whole;
      }
    }
    return nullptr;
  }

  void prepare_row(int row, float* filled) {
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
      packed_kernels().quantise(values, whole.like, whole.numbers + 2 * at, whole.scales + groups,
                                whole.sums + groups);
    }
  }

  // Brings x down to the ranks of the adapters: [m, rank] for each part.
  void multiply_down(const std::vector<Part>& parts) {
    downs_.assign(parts.size(), {});
    for (size_t i = 0; i < parts.size(); ++i) {
      int rank = parts[i].rank;
      if (rank == 0) continue;
      downs_[i].resize(static_cast<size_t>(m_) * rank);
      constexpr int kRows = 16;
      int chunks = (m_ + kRows - 1) / kRows;
      auto one = [&](int chunk) {
        int begin = chunk * kRows, count = std::min(kRows, m_ - begin);
        simd().dots(values_ + static_cast<int64_t>(begin) * cols_, cols_, count, parts[i].down,
                    cols_, rank, cols_, downs_[i].data() + static_cast<int64_t>(begin) * rank,
                    rank);
      };
      if (chunks == 1) {
        one(0);
      } else {
        parallel_for(chunks, one);
      }
    }
  }

  // Of `blocks` in all.
  int blocks_at_once(int blocks) const {
    if (tiles_ != nullptr) {
      int even = blocks / (kPieces * thread_count()) / 2 * 2;
      return std::clamp(even, 2, kMostBlocks);
    }
    return std::max(1, kChunkWeights / cols_ / PackedMatrix::kBlockRows);
  }

  std::vector<Item> items_of(const std::vector<Part>& parts) const {
    std::vector<Item> items;
    int all = 0;
    for (const Part& part : parts) all += part.matrix.blocks();
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

  void multiply(const Part& part, const Item& item, const PackedOutput& out) const {
    multiply_matrix(part, item, out);
    if (part.rank != 0) add_up(item, part, out);
  }

  void multiply_matrix(const Part& part, const Item& item, const PackedOutput& out) const {
    if (tiles_ != nullptr) {
      tiles_->multiply(part.matrix, rounded_, m_, item.begin, item.end, out);
      return;
    }
    PackedInput input{values_, nullptr, nullptr, nullptr, m_};
    if (const Whole* whole = part.matrix.quantised() ? whole_of(part.matrix) : nullptr) {
      input = {nullptr, whole->numbers, whole->scales, whole->sums, m_};
    }
    packed_kernels().multiply(part.matrix, input, item.begin, item.end, out);
  }

  void add_up(const Item& item, const Part& part, const PackedOutput& out) const {
    static thread_local Scratch<float> room;
    int begin = item.begin * PackedMatrix::kBlockRows;
    int count = std::min(part.matrix.rows, item.end * PackedMatrix::kBlockRows) - begin;
    float* sums = room.reserve(static_cast<size_t>(m_) * count);
    simd().weighted_sum(downs_[static_cast<size_t>(item.part)].data(), part.rank, m_,
                        part.up + begin, part.matrix.rows, part.rank, count, sums, count);
    for (int64_t i = 0; i < m_; ++i) {
      float* y = out.y + i * out.stride + begin;
      for (int row = 0; row < count; ++row) y[row] += sums[i * count + row];
    }
  }

  static constexpr size_t kWholes = 6;  // kinds · group sizes

  const float* x_;
  const float* norm_weight_;
  float eps_;
  int m_, cols_;
  const float* values_ = nullptr;  // [m, cols], if any part wants floats
  uint16_t* rounded_ = nullptr;
  const PackedTiles* tiles_ = nullptr;
  std::vector<Whole> wholes_;
  std::vector<std::vector<float>> downs_;
};

// What the operation keeps of a part, whose arrays are among its inputs.
struct PartPlan {
  Packed matrix;
  bool biased, adapted;
};

struct Plan {
  bool normalised;
  float eps;
  int cols;
  bool residual;
  std::optional<Gate> gate;
  std::vector<PartPlan> parts;
};

void run(const Plan& plan, const std::vector<mx::array>& in, mx::array& out) {
  size_t next = 0;
  const mx::array& x = in[next++];
  const float* norm_weight = plan.normalised ? in[next++].data<float>() : nullptr;
  const float* residual = plan.residual ? in[next++].data<float>() : nullptr;
  std::vector<Part> parts;
  int64_t column = 0;
  for (const PartPlan& part : plan.parts) {
    ++next;  // its bytes
    Part ready{part.matrix.layout(), nullptr, nullptr, nullptr, 0, column};
    if (part.biased) ready.bias = in[next++].data<float>();
    if (part.adapted) {
      ready.rank = in[next].shape(0);
      ready.down = in[next++].data<float>();
      ready.up = in[next++].data<float>();
    }
    column += ready.matrix.rows;
    parts.push_back(ready);
  }
  int m = static_cast<int>(x.size() / static_cast<size_t>(plan.cols));
  Product product(x.data<float>(), norm_weight, plan.eps, m, plan.cols);
  if (plan.gate) {
    product.run_gated(parts, *plan.gate, out.shape(-1), out.data<float>());
  } else {
    product.run(parts, residual, out.data<float>());
  }
}

}  // namespace

std::optional<Packed> Packed::pack(WeightArena& arena, const mx::array& weight,
                                   const std::optional<mx::array>& scales,
                                   const std::optional<mx::array>& biases, int group_size,
                                   int bits) {
  PackedMatrix layout;
  layout.rows = weight.shape(0);
  PackSource source{weight.data<uint8_t>(), nullptr, nullptr, scales ? bits : 0};
  if (scales) {
    bool affine = biases && scales->dtype() == mx::float32 && (bits == 4 || bits == 8);
    if (!affine) return std::nullopt;
    layout.cols = weight.shape(1) * 32 / bits;
    layout.group_size = group_size;
    layout.kind = bits == 4 ? PackedMatrix::Kind::kAffine4 : PackedMatrix::Kind::kAffine8;
    source.scales = scales->data<float>();
    source.biases = biases->data<float>();
    layout.scales =
        smallest_scales(source.scales, source.biases, static_cast<int64_t>(scales->size()));
  } else {
    bool half = weight.dtype() == mx::bfloat16 || weight.dtype() == mx::float16;
    if (!half || weight.shape(1) % 2 != 0) return std::nullopt;
    layout.cols = layout.group_size = weight.shape(1);
    layout.kind = weight.dtype() == mx::bfloat16 ? PackedMatrix::Kind::kBfloat16
                                                 : PackedMatrix::Kind::kFloat16;
  }
  WeightArena::Piece piece = arena.take(layout.bytes());
  llm_host::pack(layout, source, piece.slab.data<uint8_t>() + piece.offset);
  return Packed(layout, std::move(piece));
}

namespace {

mx::array product(const Operand& operand, std::span<const PackedPart> parts,
                  const std::optional<mx::array>& residual, std::optional<Gate> gate) {
  Plan plan{operand.norm_weight.has_value(),
            operand.eps,
            parts.front().matrix.layout().cols,
            residual.has_value(),
            gate,
            {}};
  std::vector<mx::array> inputs{operand.x};
  if (operand.norm_weight) inputs.push_back(*operand.norm_weight);
  if (residual) inputs.push_back(*residual);
  int rows = 0;
  for (const PackedPart& part : parts) {
    plan.parts.push_back({part.matrix, part.bias.has_value(), part.down.has_value()});
    inputs.push_back(part.matrix.buffer());
    if (part.bias) inputs.push_back(*part.bias);
    if (part.down) inputs.insert(inputs.end(), {*part.down, *part.up});
    rows += part.matrix.layout().rows;
  }
  mx::Shape shape = operand.x.shape();
  shape.back() = gate ? rows / 2 : rows;
  return cpu_op("PackedLinear", std::move(shape), std::move(inputs),
                [plan = std::move(plan)](const std::vector<mx::array>& in, mx::array& out) {
                  run(plan, in, out);
                });
}

}  // namespace

mx::array packed_linear(const Operand& operand, std::span<const PackedPart> parts,
                        const std::optional<mx::array>& residual) {
  return product(operand, parts, residual, std::nullopt);
}

mx::array packed_gated(const Operand& operand, std::span<const PackedPart> parts, Gate gate) {
  return product(operand, parts, std::nullopt, gate);
}

mx::array packed_rows(const Packed& matrix, const mx::array& ids) {
  mx::Shape shape = ids.shape();
  shape.push_back(matrix.layout().cols);
  return cpu_op("PackedRows", std::move(shape), {ids, matrix.buffer()},
                [matrix](const std::vector<mx::array>& in, mx::array& out) {
                  const PackedMatrix& view = matrix.layout();
                  const int32_t* ids = in[0].data<int32_t>();
                  float* rows = out.data<float>();
                  auto one = [&](int i) {
                    unpack_row(view, ids[i], rows + static_cast<int64_t>(i) * view.cols);
                  };
                  int count = static_cast<int>(in[0].size());
                  if (count == 1) {
                    one(0);
                  } else {
                    parallel_for(count, one);
                  }
                });
}

}  // namespace llm_host::cpu
