#include <cmath>
#include <cstdlib>
#include <vector>

#include "check.h"
#include "kernels/packed/linear.h"
#include "kernels/packed/sets/kernels.h"
#include "kernels/packed/sets/tiles.h"
#include "kernels/simd/simd.h"
#include "packed_part.h"

namespace llm_host::packed_linear_test {

static const check::Suite suite("packed_linear", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
  const char* wanted = std::getenv("LLM_HOST_SIMD");
  bool tiles = packed_tiles() != nullptr;
  if (wanted != nullptr && !tiles && !instruction_set_allowed(packed_kernels().name)) {
    check::skip(std::string("this CPU or build has no ") + wanted + ": portable instead");
  }
});
namespace mx = mlx::core;

namespace {

double silu(double x) { return x / (1 + std::exp(-x)); }
double gelu(double x) {
  return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

// No group has a maximum of so many times the root mean square.
constexpr float kNoneFine = 1e9f;

cpu::Operand random_operand(bool normalised, int m, int cols) {
  cpu::Operand operand(random_array({1, m, cols}));
  if (normalised) {
    operand.norm_weight = random_array({cols});
    operand.eps = 0.1f;
  }
  return operand;
}

// One row of x, normalised if the operand has a norm: in float32, as what is rounded to int8.
std::vector<double> normalised(const cpu::Operand& operand, const std::vector<double>& row) {
  if (!operand.norm_weight) return row;
  std::vector<float> x(row.begin(), row.end()), y(row.size());
  mx::array weight = mx::contiguous(*operand.norm_weight);
  weight.eval();
  simd().rms_norm(x.data(), weight.data<float>(), static_cast<int>(x.size()), operand.eps,
                  y.data());
  return {y.begin(), y.end()};
}

bool with_tiles(int m, int cols) {
  return packed_tiles() != nullptr && m >= kTileRows && cols % kTileColumns == 0;
}

// The products of all parts with each row of x, concatenated, and the magnitudes of their terms.
void multiply_all(const std::vector<RandomPart>& parts, const cpu::Operand& operand,
                  std::vector<double>& y, std::vector<double>& sizes) {
  std::vector<double> x = doubles(operand.x);
  auto width = static_cast<std::ptrdiff_t>(operand.x.shape(-1));
  std::optional<float> fine_above;
  if (!with_tiles(operand.x.shape(-2), operand.x.shape(-1))) fine_above = operand.fine_above;
  for (auto row = x.begin(); row != x.end(); row += width) {
    std::vector<double> values = normalised(operand, {row, row + width});
    for (const RandomPart& part : parts) part.multiply(values, fine_above, y, sizes);
  }
}

// Relative to the sum of the terms' magnitudes. Tiles round both factors to bfloat16, by at most
// 2^-9 each. Fine bytes of int8 activations have steps of 1 / (127 · 254) of a group's maximum,
// which matters most to values far below it.
double tolerance(const std::vector<RandomPart>& parts, const cpu::Operand& operand) {
  if (with_tiles(operand.x.shape(-2), operand.x.shape(-1))) return 0x1p-8;
  bool quantized = false;
  for (const RandomPart& part : parts) quantized = quantized || part.packed().layout().quantized();
  return quantized && operand.fine_above != kNoneFine ? 3e-4 : 1e-5;
}

void check_worst(const std::vector<RandomPart>& parts, const cpu::Operand& operand, double worst) {
  double limit = tolerance(parts, operand);
  int m = operand.x.shape(-2), cols = operand.x.shape(-1);
  if (!(worst <= limit)) {
    const PackedMatrix& first = parts.front().packed().layout();
    std::printf("  %zu parts, the first %dx%d kind %d group %d scales %d, m %d: error %g\n",
                parts.size(), first.rows, cols, static_cast<int>(first.kind), first.group_size,
                static_cast<int>(first.scales), m, worst);
  }
  CHECK(worst <= limit);
}

void check_products(const std::vector<RandomPart>& parts, bool normalised, int m, int cols,
                    bool added, float fine_above = kFineAbove) {
  cpu::Operand operand = random_operand(normalised, m, cols);
  operand.fine_above = fine_above;
  std::vector<cpu::PackedPart> views;
  int rows = 0;
  for (const RandomPart& part : parts) {
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
  check_worst(parts, operand, worst);
}

// Gate and up are two parts of `width` rows each, or the two halves of one part.
void check_gated(const std::vector<RandomPart>& parts, cpu::Gate gate, int width, int m, int cols) {
  cpu::Operand operand = random_operand(m % 2 == 0, m, cols);
  operand.fine_above = m == 3 ? kNoneFine : kFineAbove;
  std::vector<cpu::PackedPart> views;
  for (const RandomPart& part : parts) views.push_back(part.view());
  mx::array y = cpu::packed_gated(operand, views, gate);
  CHECK(y.shape() == mx::Shape({1, m, width}));
  std::vector<double> got = doubles(y), both, sizes;
  multiply_all(parts, operand, both, sizes);
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    size_t n = static_cast<size_t>(width), g = i / n * 2 * n + i % n, u = g + n;
    double active = gate == cpu::Gate::kSwiGlu ? silu(both[g]) : gelu(both[g]);
    // The slope of both activations is at most 1.13.
    double size =
        1.13 * sizes[g] * (std::abs(both[u]) + sizes[u] * 0.01) + std::abs(active) * sizes[u];
    worst = std::max(worst, std::abs(got[i] - active * both[u]) / (size + 1e-3));
  }
  check_worst(parts, operand, worst);
}

}  // namespace

// Weight rows: one, a block, partial blocks. Activation rows: less than a tile, one tile, two and a
// row.
TEST(every_storage_equals_float64) {
  constexpr int kRows[] = {1, 16, 37, 75};
  int turn = 0;
  WeightArena arena;
  for (const Storage& storage : storages()) {
    for (bool normalised : {false, true}) {
      for (int m : {1, 2, 9, 16, 33}) {
        int rows = kRows[turn % 4];
        std::vector<RandomPart> parts;
        parts.emplace_back(arena, rows, 256, storage, turn % 2 == 0, turn % 3 == 0 ? 3 : 0);
        for (float fine_above : {0.0f, kFineAbove, kNoneFine}) {
          check_products(parts, normalised, m, 256, turn % 5 < 2, fine_above);
        }
        ++turn;
      }
    }
  }
}

TEST(no_rows_give_nothing) {
  WeightArena arena;
  for (const Storage& storage : storages()) {
    std::vector<RandomPart> parts;
    parts.emplace_back(arena, 16, 256, storage, true, 2);
    check_products(parts, true, 0, 256, true);
    parts.emplace_back(arena, 16, 256, storage, true, 2);
    check_gated(parts, cpu::Gate::kSwiGlu, 16, 0, 256);
  }
}

// Several work items for each matrix, so that an adapter's update starts in the middle of one.
TEST(tall_matrices_are_split_over_threads) {
  WeightArena arena;
  for (const Storage& storage : storages()) {
    for (int m : {1, 20}) {
      std::vector<RandomPart> parts;
      parts.emplace_back(arena, 250, 768, storage, true, 5);
      check_products(parts, true, m, 768, true);
    }
  }
}

TEST(parts_may_differ_in_storage) {
  WeightArena arena;
  for (bool normalised : {false, true}) {
    for (int m : {1, 3, 16, 50}) {
      std::vector<RandomPart> parts;
      int rank = 0;
      for (const Storage& storage : storages()) {
        parts.emplace_back(arena, 18 + rank, 256, storage, rank % 2 == 0, rank);
        rank = (rank + 1) % 4;
      }
      check_products(parts, normalised, m, 256, m != 3);
    }
  }
}

// Tiles have 32 columns: a matrix with a partial one is multiplied without them, whatever m is.
TEST(partial_tiles_of_columns) {
  WeightArena arena;
  for (mx::Dtype type : {mx::bfloat16, mx::float16}) {
    for (int cols : {2, 6, 70}) {
      for (int m : {1, 40}) {
        std::vector<RandomPart> parts;
        parts.emplace_back(arena, 19, cols, Storage{0, 0, type}, true, 2);
        check_products(parts, false, m, cols, true);
      }
    }
  }
}

// Two parts, with a partial block too; one part with both halves; enough rows for work items of
// several blocks, the last of them shorter.
TEST(gated_products_equal_float64) {
  WeightArena arena;
  int turn = 0;
  for (const Storage& storage : storages()) {
    for (cpu::Gate gate : {cpu::Gate::kSwiGlu, cpu::Gate::kGeGlu}) {
      for (int m : {1, 3, 16, 50}) {
        int width = turn % 3 == 0 ? 37 : turn % 3 == 1 ? 176 : 336, rank = turn % 4;
        std::vector<RandomPart> two, one;
        two.emplace_back(arena, width, 256, storage, turn % 2 == 0, rank);
        two.emplace_back(arena, width, 256, storage, turn % 5 == 0, 3 - rank);
        check_gated(two, gate, width, m, 256);
        one.emplace_back(arena, 2 * 176, 256, storage, turn % 2 == 1, rank);
        check_gated(one, gate, 176, m, 256);
        ++turn;
      }
    }
  }
}

TEST(embedding_rows_are_looked_up_by_id) {
  WeightArena arena;
  for (const Storage& storage : storages()) {
    RandomPart part(arena, 21, 256, storage, false, 0);
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

TEST(types_without_a_kernel_are_not_packed) {
  WeightArena arena;
  auto is_packed = [&](const mx::array& weight, const std::optional<mx::array>& scales,
                       const std::optional<mx::array>& biases, int bits) {
    return cpu::Packed::pack(arena, weight, scales, biases, 32, bits).has_value();
  };
  auto zeros = [](const mx::Shape& shape, mx::Dtype type) {
    mx::array array = mx::zeros(shape, type);
    array.eval();
    return array;
  };
  mx::array scales = zeros({4, 2}, mx::float32), float16 = zeros({4, 2}, mx::float16);
  mx::array bytes = zeros({4, 2}, mx::uint8);
  CHECK(is_packed(zeros({4, 8}, mx::uint32), scales, scales, 4));
  CHECK(is_packed(zeros({4, 6}, mx::uint32), scales, scales, 3));
  CHECK(!is_packed(zeros({4, 14}, mx::uint32), scales, scales, 7));
  CHECK(!is_packed(zeros({4, 8}, mx::uint32), float16, float16, 4));
  CHECK(is_packed(zeros({4, 8}, mx::uint32), bytes, std::nullopt, 4));
  CHECK(!is_packed(zeros({4, 16}, mx::uint32), bytes, std::nullopt, 8));
  CHECK(!is_packed(zeros({4, 8}, mx::float32), std::nullopt, std::nullopt, 0));
  CHECK(!is_packed(zeros({4, 7}, mx::bfloat16), std::nullopt, std::nullopt, 0));
  CHECK(is_packed(zeros({4, 8}, mx::float16), std::nullopt, std::nullopt, 0));
}

}  // namespace llm_host::packed_linear_test
