#include "kernels/encoder_ops.h"

#include <cmath>
#include <random>

#include "check.h"
#include "kernels/packed/rounded_linear.h"

namespace llm_host::encoder_ops_test {

static const check::Suite suite("encoder_ops");
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

// A row of one head in float64, rotated to a position.
std::vector<double> rotated(const float* x, int head_dim, int position,
                            const std::vector<float>& frequencies) {
  std::vector<double> y(x, x + head_dim);
  size_t pairs = frequencies.size();
  for (size_t c = 0; c < pairs; ++c) {
    double angle = position * double{frequencies[c]};
    y[c] = x[c] * std::cos(angle) - x[c + pairs] * std::sin(angle);
    y[c + pairs] = x[c + pairs] * std::cos(angle) + x[c] * std::sin(angle);
  }
  return y;
}

// One head of one text: rows of `stride` floats, `length` of them.
struct HeadRows {
  const float *q, *k, *v;
  int stride, length;
};

// A query's attention, in float64.
std::vector<double> attend(const HeadRows& head, const cpu::TextAttentionShape& shape,
                           const std::vector<float>& frequencies, int query) {
  int size = shape.head_dim;
  std::vector<double> weights, out(static_cast<size_t>(size));
  std::vector<double> q = rotated(head.q + query * head.stride, size, query, frequencies);
  double sum = 0;
  for (int key = 0; key < head.length; ++key) {
    std::vector<double> k = rotated(head.k + key * head.stride, size, key, frequencies);
    double score = 0;
    for (size_t d = 0; d < k.size(); ++d) score += q[d] * k[d];
    bool seen = (!shape.causal || key <= query) &&
                (shape.window == 0 || std::abs(key - query) < shape.window);
    weights.push_back(seen ? std::exp(score * double{shape.scale}) : 0);
    sum += weights.back();
  }
  for (int key = 0; key < head.length; ++key) {
    for (int d = 0; d < size; ++d) {
      out[static_cast<size_t>(d)] +=
          weights[static_cast<size_t>(key)] / sum * head.v[key * head.stride + d];
    }
  }
  return out;
}

// `apart`: queries, keys and values in arrays of their own.
mx::array attended(const mx::array& projected, const std::vector<int>& lengths,
                   const cpu::TextAttentionShape& shape, const std::vector<float>& frequencies,
                   bool apart) {
  cpu::Rotation rotation{frequencies, 1, false};
  if (!apart) return cpu::attend_texts({projected}, lengths, shape, rotation);
  int queries = shape.heads * shape.head_dim, keys = shape.kv_heads * shape.head_dim;
  std::vector<mx::array> parts = mx::split(projected, mx::Shape{queries, queries + keys}, -1);
  for (mx::array& part : parts) part = mx::contiguous(part);
  return cpu::attend_texts(parts, lengths, shape, rotation);
}

void check_attention(const std::vector<int>& lengths, const cpu::TextAttentionShape& shape,
                     const std::vector<float>& frequencies = {}, bool apart = false) {
  int tokens = 0, size = shape.head_dim, width = shape.heads * size;
  int stride = width + 2 * shape.kv_heads * size;
  for (int length : lengths) tokens += length;
  mx::array projected = random_array({1, tokens, stride});
  mx::array y = attended(projected, lengths, shape, frequencies, apart);
  mx::eval(projected, y);
  double worst = 0;
  int start = 0;
  for (int length : lengths) {
    for (int head = 0; head < shape.heads; ++head) {
      const float* rows = projected.data<float>() + start * stride;
      int kv_head = head / (shape.heads / shape.kv_heads);
      const float* k = rows + width + kv_head * size;
      HeadRows own{rows + head * size, k, k + shape.kv_heads * size, stride, length};
      for (int i = 0; i < length; ++i) {
        std::vector<double> expected = attend(own, shape, frequencies, i);
        const float* found = y.data<float>() + (start + i) * width + head * size;
        for (int d = 0; d < size; ++d) {
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
  check_attention({1}, {2, 2, 32, 0.2f});
  check_attention({5, 1, 16, 33}, {3, 3, 32, 0.2f});
  check_attention({17, 100, 2}, {2, 2, 64, 0.2f});
  check_attention({9, 4}, {2, 2, 20, 0.2f});
}

TEST(texts_with_shared_keys_that_are_rotated) {
  std::vector<float> frequencies{1, 0.3f, 0.05f, 0.01f};
  for (bool apart : {false, true}) {
    check_attention({1, 40, 7}, {4, 2, 8, 0.3f}, frequencies, apart);
    check_attention({33, 3}, {3, 1, 20, 0.3f}, frequencies, apart);
  }
}

TEST(tokens_see_no_more_than_they_may) {
  for (bool causal : {true, false}) {
    for (int window : {0, 1, 5, 16, 200}) {
      check_attention({1, 7, 70, 33}, {4, 2, 16, 0.3f, causal, window}, {1, 0.1f});
    }
  }
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

}  // namespace llm_host::encoder_ops_test
