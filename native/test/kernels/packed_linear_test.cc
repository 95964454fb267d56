#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "check.h"
#include "kernels/packed/kernels.h"
#include "kernels/packed/linear.h"
#include "kernels/packed/tiles.h"
#include "kernels/simd/simd.h"

using namespace llm_host;
namespace mx = mlx::core;

namespace {

std::mt19937 random_bits(11);

mx::array random_array(const mx::Shape& shape, float scale = 1) {
  return mx::random::normal(shape, mx::float32, 0, scale, mx::random::key(random_bits()));
}

std::vector<double> doubles(const mx::array& array) {
  mx::array values = mx::contiguous(mx::astype(array, mx::float32));
  values.eval();
  return {values.data<float>(), values.data<float>() + values.size()};
}

// How a matrix is stored: 4 or 8 bits by groups with scales that fit `type`, or 0 bits of `type`.
struct Storage {
  int bits, group;
  mx::Dtype type;
};

std::vector<Storage> storages() {
  std::vector<Storage> all{{0, 0, mx::bfloat16}, {0, 0, mx::float16}};
  for (int bits : {4, 8}) {
    for (int group : {32, 64, 128}) {
      for (mx::Dtype type : {mx::bfloat16, mx::float16, mx::float32}) {
        all.push_back({bits, group, type});
      }
    }
  }
  return all;
}

// A packed matrix, what is added to its products, and all of it in float64.
class Part {
 public:
  Part(WeightArena& arena, int rows, int cols, const Storage& storage, bool biased, int rank)
      : rows_(rows), rank_(rank), packed_(pack(arena, rows, cols, storage)) {
    if (biased) bias_ = random_array({rows});
    if (rank > 0) {
      down_ = random_array({rank, cols}, 0.1f);
      up_ = random_array({rank, rows}, 0.1f);
      mx::eval(*down_, *up_);
    }
  }

  cpu::PackedPart view() const { return {packed_, bias_, down_, up_}; }
  const cpu::Packed& packed() const { return packed_; }
  const std::vector<double>& weight() const { return weight_; }
  int rows() const { return rows_; }

  // Appends to `y` and `sizes` the products with one vector, and what their terms sum up to in
  // size.
  void multiply(const std::vector<double>& x, std::vector<double>& y,
                std::vector<double>& sizes) const {
    std::vector<double> low(static_cast<size_t>(rank_)), bias(static_cast<size_t>(rows_)), down, up;
    if (bias_) bias = doubles(*bias_);
    if (rank_ > 0) down = doubles(*down_), up = doubles(*up_);
    for (size_t i = 0; i < down.size(); ++i) low[i / x.size()] += down[i] * x[i % x.size()];
    for (size_t r = 0; r < bias.size(); ++r) {
      double sum = bias[r], size = std::abs(sum);
      for (size_t c = 0; c < x.size(); ++c) {
        double product = weight_[r * x.size() + c] * x[c];
        sum += product;
        size += std::abs(product);
      }
      for (size_t k = 0; k < low.size(); ++k) sum += low[k] * up[k * bias.size() + r];
      y.push_back(sum);
      sizes.push_back(size);
    }
  }

 private:
  cpu::Packed pack(WeightArena& arena, int rows, int cols, const Storage& storage) {
    mx::array dense = random_array({rows, cols}, 0.1f);
    std::optional<mx::array> scales, biases;
    mx::array weight = mx::astype(dense, storage.type);
    if (storage.bits != 0) {
      auto rounded = [&](const mx::array& values) {
        return mx::astype(mx::astype(values, storage.type), mx::float32);
      };
      std::vector<mx::array> parts = mx::quantize(dense, storage.group, storage.bits);
      weight = parts[0];
      scales = rounded(parts[1]);
      biases = rounded(parts[2]);
      mx::eval(*scales, *biases);
      dense = mx::dequantize(weight, scales.value(), biases, storage.group, storage.bits);
    }
    weight.eval();
    weight_ = doubles(storage.bits == 0 ? weight : dense);
    auto packed = cpu::Packed::pack(arena, weight, scales, biases, storage.group, storage.bits);
    if (!packed) throw std::logic_error("not packed");
    return *packed;
  }

  int rows_, rank_;
  std::vector<double> weight_;
  std::optional<mx::array> bias_, down_, up_;
  cpu::Packed packed_;
};

double silu(double x) { return x / (1 + std::exp(-x)); }
double gelu(double x) {
  return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

cpu::Operand random_operand(bool normalised, int m, int cols) {
  cpu::Operand operand(random_array({1, m, cols}));
  if (normalised) {
    operand.norm_weight = random_array({cols});
    operand.eps = 0.1f;
  }
  return operand;
}

// One row of x behind the norm, if there is one.
std::vector<double> formed(const cpu::Operand& operand, std::vector<double> row) {
  if (!operand.norm_weight) return row;
  std::vector<double> weight = doubles(*operand.norm_weight);
  double squares = 0;
  for (double value : row) squares += value * value;
  double root = std::sqrt(squares / static_cast<double>(row.size()) + operand.eps);
  for (size_t i = 0; i < row.size(); ++i) row[i] *= weight[i] / root;
  return row;
}

// The products of all parts with each row of x, side by side, and the sizes of their terms.
void multiply_all(const std::vector<Part>& parts, const cpu::Operand& operand,
                  std::vector<double>& y, std::vector<double>& sizes) {
  std::vector<double> x = doubles(operand.x);
  auto width = static_cast<std::ptrdiff_t>(operand.x.shape(-1));
  for (auto row = x.begin(); row != x.end(); row += width) {
    std::vector<double> vector = formed(operand, {row, row + width});
    for (const Part& part : parts) part.multiply(vector, y, sizes);
  }
}

// Tiles round both factors to bfloat16, which is half of 2^-8 of each at most; bytes take a group's
// values as whole numbers up to 127 · 254, which those far below the greatest feel most.
double tolerance(const std::vector<Part>& parts, int m, int cols) {
  bool tiles = packed_tiles() != nullptr;
  if (tiles && m >= kTileVectors && cols % kTileColumns == 0) return 0x1p-8;
  bool bytes = false;
  for (const Part& part : parts) bytes = bytes || part.packed().layout().quantized();
  return bytes ? 3e-4 : 1e-5;
}

void check_worst(const std::vector<Part>& parts, int m, int cols, double worst) {
  double limit = tolerance(parts, m, cols);
  if (!(worst <= limit)) {
    const PackedMatrix& first = parts.front().packed().layout();
    std::printf("  %zu parts, the first %dx%d kind %d group %d scales %d, m %d: error %g\n",
                parts.size(), first.rows, cols, static_cast<int>(first.kind), first.group_size,
                static_cast<int>(first.scales), m, worst);
  }
  CHECK(worst <= limit);
}

void check_products(const std::vector<Part>& parts, bool normalised, int m, int cols, bool added) {
  cpu::Operand operand = random_operand(normalised, m, cols);
  std::vector<cpu::PackedPart> views;
  int rows = 0;
  for (const Part& part : parts) {
    views.push_back(part.view());
    rows += part.rows();
  }
  std::optional<mx::array> residual;
  if (added) residual = random_array({1, m, rows});
  mx::array y = cpu::packed_linear(operand, views, residual);
  CHECK(y.shape() == mx::Shape({1, m, rows}));
  std::vector<double> got = doubles(y), expected, sizes;
  multiply_all(parts, operand, expected, sizes);
  std::vector<double> more = added ? doubles(*residual) : std::vector<double>(expected.size());
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double error = std::abs(got[i] - expected[i] - more[i]);
    worst = std::max(worst, error / (sizes[i] + std::abs(more[i])));
  }
  check_worst(parts, m, cols, worst);
}

// Gate and up are two parts of `width` rows, or the halves of one.
void check_gated(const std::vector<Part>& parts, cpu::Gate gate, int width, int m, int cols) {
  cpu::Operand operand = random_operand(m % 2 == 0, m, cols);
  std::vector<cpu::PackedPart> views;
  for (const Part& part : parts) views.push_back(part.view());
  mx::array y = cpu::packed_gated(operand, views, gate);
  CHECK(y.shape() == mx::Shape({1, m, width}));
  std::vector<double> got = doubles(y), both, sizes;
  multiply_all(parts, operand, both, sizes);
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    size_t n = static_cast<size_t>(width), g = i / n * 2 * n + i % n, u = g + n;
    double active = gate == cpu::Gate::kSwiGlu ? silu(both[g]) : gelu(both[g]);
    // Neither activation is anywhere steeper than 1.13.
    double size =
        1.13 * sizes[g] * (std::abs(both[u]) + sizes[u] * 0.01) + std::abs(active) * sizes[u];
    worst = std::max(worst, std::abs(got[i] - active * both[u]) / (size + 1e-3));
  }
  check_worst(parts, m, cols, worst);
}

}  // namespace

// One row, a block, blocks that are not full; vectors that fill no tile, some, and one more.
TEST(every_storage_equals_float64) {
  constexpr int kRows[] = {1, 16, 37, 75};
  int turn = 0;
  WeightArena arena;
  for (const Storage& storage : storages()) {
    for (bool normalised : {false, true}) {
      for (int m : {1, 2, 9, 16, 33}) {
        int rows = kRows[turn % 4];
        std::vector<Part> parts;
        parts.emplace_back(arena, rows, 256, storage, turn % 2 == 0, turn % 3 == 0 ? 3 : 0);
        check_products(parts, normalised, m, 256, turn % 5 < 2);
        ++turn;
      }
    }
  }
}

TEST(no_vectors_give_nothing) {
  WeightArena arena;
  for (const Storage& storage : storages()) {
    std::vector<Part> parts;
    parts.emplace_back(arena, 16, 128, storage, true, 2);
    check_products(parts, true, 0, 128, true);
    parts.emplace_back(arena, 16, 128, storage, true, 2);
    check_gated(parts, cpu::Gate::kSwiGlu, 16, 0, 128);
  }
}

// Threads take parts of them: an adapter's products begin in the midst of a matrix.
TEST(tall_matrices_are_shared_out) {
  WeightArena arena;
  for (const Storage& storage : storages()) {
    for (int m : {1, 20}) {
      std::vector<Part> parts;
      parts.emplace_back(arena, 250, 768, storage, true, 5);
      check_products(parts, true, m, 768, true);
    }
  }
}

TEST(parts_of_different_storage_lie_side_by_side) {
  WeightArena arena;
  for (bool normalised : {false, true}) {
    for (int m : {1, 3, 16, 50}) {
      std::vector<Part> parts;
      int rank = 0;
      for (const Storage& storage : storages()) {
        parts.emplace_back(arena, 18 + rank, 128, storage, rank % 2 == 0, rank);
        rank = (rank + 1) % 4;
      }
      check_products(parts, normalised, m, 128, m != 3);
    }
  }
}

// Tiles take 32 columns at a time: other matrices go without, however many vectors there are.
TEST(columns_that_fill_no_tile) {
  WeightArena arena;
  for (mx::Dtype type : {mx::bfloat16, mx::float16}) {
    for (int cols : {2, 6, 70}) {
      for (int m : {1, 40}) {
        std::vector<Part> parts;
        parts.emplace_back(arena, 19, cols, Storage{0, 0, type}, true, 2);
        check_products(parts, false, m, cols, true);
      }
    }
  }
}

// Two parts, also with a block that is not full; one part with both; enough rows for pieces of
// several blocks, and for the last piece to be shorter.
TEST(gated_products_equal_float64) {
  WeightArena arena;
  int turn = 0;
  for (const Storage& storage : storages()) {
    for (cpu::Gate gate : {cpu::Gate::kSwiGlu, cpu::Gate::kGeGlu}) {
      for (int m : {1, 3, 16, 50}) {
        int width = turn % 3 == 0 ? 37 : turn % 3 == 1 ? 176 : 336, rank = turn % 4;
        std::vector<Part> two, one;
        two.emplace_back(arena, width, 128, storage, turn % 2 == 0, rank);
        two.emplace_back(arena, width, 128, storage, turn % 5 == 0, 3 - rank);
        check_gated(two, gate, width, m, 128);
        one.emplace_back(arena, 2 * 176, 128, storage, turn % 2 == 1, rank);
        check_gated(one, gate, 176, m, 128);
        ++turn;
      }
    }
  }
}

TEST(rows_are_taken_by_id) {
  WeightArena arena;
  for (const Storage& storage : storages()) {
    Part part(arena, 21, 256, storage, false, 0);
    for (const std::vector<int32_t>& ids : {std::vector<int32_t>{20}, {3, 0, 20, 3, 16, 15}}) {
      int count = static_cast<int>(ids.size());
      mx::array rows = cpu::packed_rows(part.packed(), mx::array(ids.begin(), {count}, mx::int32));
      CHECK(rows.shape() == mx::Shape({count, 256}));
      std::vector<double> got = doubles(rows);
      double worst = 0;
      for (size_t i = 0; i < got.size(); ++i) {
        size_t id = static_cast<size_t>(ids[i / 256]);
        worst = std::max(worst, std::abs(got[i] - part.weight()[id * 256 + i % 256]));
      }
      CHECK(worst <= 1e-6);
    }
  }
}

TEST(what_has_no_kernel_is_not_packed) {
  WeightArena arena;
  auto packs = [&](const mx::array& weight, const std::optional<mx::array>& scales,
                   const std::optional<mx::array>& biases, int bits) {
    return cpu::Packed::pack(arena, weight, scales, biases, 32, bits).has_value();
  };
  auto zeros = [](const mx::Shape& shape, mx::Dtype type) {
    mx::array array = mx::zeros(shape, type);
    array.eval();
    return array;
  };
  mx::array scales = zeros({4, 2}, mx::float32), halves = zeros({4, 2}, mx::float16);
  mx::array bytes = zeros({4, 2}, mx::uint8);
  CHECK(packs(zeros({4, 8}, mx::uint32), scales, scales, 4));
  CHECK(!packs(zeros({4, 6}, mx::uint32), scales, scales, 3));
  CHECK(!packs(zeros({4, 8}, mx::uint32), halves, halves, 4));
  CHECK(!packs(zeros({4, 8}, mx::uint32), bytes, std::nullopt, 4));
  CHECK(!packs(zeros({4, 8}, mx::float32), std::nullopt, std::nullopt, 0));
  CHECK(!packs(zeros({4, 7}, mx::bfloat16), std::nullopt, std::nullopt, 0));
  CHECK(packs(zeros({4, 8}, mx::float16), std::nullopt, std::nullopt, 0));
}

int main() {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
  const char* wanted = std::getenv("LLM_HOST_SIMD");
  bool tiles = packed_tiles() != nullptr;
  if (wanted != nullptr && !tiles && !instruction_set_allowed(packed_kernels().name)) {
    check::skip(std::string("this CPU or build has no ") + wanted + ": portable instead");
  }
  return check::run("packed_linear");
}
