#include "kernels/encoder_ops.h"

#include <cmath>
#include <random>

#include "check.h"
#include "kernels/packed/rounded_linear.h"

using namespace llm_host;
namespace mx = mlx::core;

namespace {

std::mt19937 random_bits(7);

mx::array random_array(const mx::Shape& shape) {
  std::normal_distribution<float> normal;
  size_t count = 1;
  for (int size : shape) count *= static_cast<size_t>(size);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random_bits);
  return mx::array(values.begin(), shape, mx::float32);
}

// One head of one text in float64: rows of `stride` floats, `length` of them.
std::vector<double> attend(const float* q, const float* k, const float* v, int stride, int length,
                           int head_dim, int query, double scale) {
  std::vector<double> weights, out(static_cast<size_t>(head_dim));
  double sum = 0;
  for (int key = 0; key < length; ++key) {
    double score = 0;
    for (int d = 0; d < head_dim; ++d) score += double{q[query * stride + d]} * k[key * stride + d];
    weights.push_back(std::exp(score * scale));
    sum += weights.back();
  }
  for (int key = 0; key < length; ++key) {
    for (int d = 0; d < head_dim; ++d) {
      out[static_cast<size_t>(d)] += weights[static_cast<size_t>(key)] / sum * v[key * stride + d];
    }
  }
  return out;
}

void check_attention(const std::vector<int>& lengths, int heads, int head_dim) {
  int tokens = 0, width = heads * head_dim;
  for (int length : lengths) tokens += length;
  mx::array projected = random_array({1, tokens, 3 * width});
  cpu::TextAttentionShape shape{heads, head_dim, 0.2f};
  mx::array y = cpu::attend_texts(projected, lengths, shape);
  mx::eval(projected, y);
  double worst = 0;
  int start = 0;
  for (int length : lengths) {
    for (int head = 0; head < heads; ++head) {
      const float* q = projected.data<float>() + start * 3 * width + head * head_dim;
      for (int i = 0; i < length; ++i) {
        std::vector<double> expected =
            attend(q, q + width, q + 2 * width, 3 * width, length, head_dim, i, 0.2f);
        const float* found = y.data<float>() + (start + i) * width + head * head_dim;
        for (int d = 0; d < head_dim; ++d) {
          worst = std::max(worst, std::abs(found[d] - expected[static_cast<size_t>(d)]));
        }
      }
    }
    start += length;
  }
  CHECK_NEAR(worst, 0, 1e-5);
}

// Weights and activations that bfloat16 holds exactly.
mx::array random_bfloat16(const mx::Shape& shape) {
  return mx::astype(mx::astype(random_array(shape), mx::bfloat16), mx::float32);
}

void check_rounded(int rows, int cols, int m, bool extras) {
  mx::array weight = random_bfloat16({rows, cols}), x = random_bfloat16({1, m, cols});
  std::optional<mx::array> bias, residual;
  if (extras) bias = random_array({rows});
  if (extras) residual = random_array({1, m, rows});
  mx::array stored = mx::astype(weight, mx::bfloat16);
  stored.eval();
  WeightArena arena;
  auto packed = cpu::Packed::pack(arena, stored, std::nullopt, std::nullopt, 0, 0);
  if (!packed || !cpu::rounds_activations(*packed)) {
    check::skip("this CPU or build has no products of bfloat16 beside a matrix unit");
    return;
  }
  mx::array y = cpu::rounded_linear(x, *packed, bias, residual);
  mx::array expected = mx::matmul(x, mx::transpose(weight));
  if (extras) expected = mx::add(mx::add(expected, *bias), *residual);
  CHECK(y.shape() == (mx::Shape{1, m, rows}));
  CHECK(mx::allclose(y, expected, 1e-4, 1e-4).item<bool>());
}

}  // namespace

TEST(products_of_rounded_activations) {
  for (int m : {1, 7, 8, 16, 19, 64}) {
    for (bool extras : {false, true}) {
      check_rounded(48, 64, m, extras);
      check_rounded(37, 32, m, extras);
      check_rounded(1, 96, m, extras);
    }
  }
  check_rounded(1152, 384, 200, true);
}

TEST(each_text_attends_to_itself_alone) {
  check_attention({1}, 2, 32);
  check_attention({5, 1, 16, 33}, 3, 32);
  check_attention({17, 100, 2}, 2, 64);
  check_attention({9, 4}, 2, 20);
}

TEST(rows_of_several_tables_add_up) {
  mx::array words = random_array({7, 20}), places = random_array({4, 20});
  mx::array ids({6, 0, 3, 3}, {1, 4}), at({0, 1, 2, 3}, {1, 4});
  std::vector<cpu::Lookup> lookups{{ids, words}, {at, places}};
  mx::array y = cpu::sum_of_rows(lookups);
  mx::array expected = mx::add(mx::take(words, ids, 0), mx::take(places, at, 0));
  CHECK(y.shape() == (mx::Shape{1, 4, 20}));
  CHECK(mx::array_equal(y, expected).item<bool>());
}

TEST(a_text_has_the_mean_of_its_own_rows) {
  mx::array x = random_array({1, 6, 24});
  mx::array y = cpu::mean_of_texts(x, {1, 3, 2});
  CHECK(y.shape() == (mx::Shape{3, 24}));
  mx::array rows = mx::reshape(x, {6, 24});
  mx::array expected = mx::stack({mx::mean(mx::slice(rows, {0, 0}, {1, 24}), 0),
                                  mx::mean(mx::slice(rows, {1, 0}, {4, 24}), 0),
                                  mx::mean(mx::slice(rows, {4, 0}, {6, 24}), 0)});
  CHECK(mx::allclose(y, expected, 1e-6, 1e-6).item<bool>());
}

TEST(norms_and_activations_of_many_rows) {
  mx::array x = random_array({1, 300, 96}), weight = random_array({96}), bias = random_array({96});
  CHECK(mx::allclose(cpu::layer_norm(x, weight, bias, 1e-12f),
                     mx::fast::layer_norm(x, weight, bias, 1e-12f), 1e-4, 1e-5)
            .item<bool>());
  mx::array half = mx::array(0.5f);
  mx::array expected = mx::multiply(
      mx::multiply(x, half), mx::add(mx::array(1.0f), mx::erf(mx::multiply(x, mx::sqrt(half)))));
  CHECK(mx::allclose(cpu::gelu(x), expected, 1e-4, 1e-5).item<bool>());
}

int main() { return check::run("encoder_ops"); }
