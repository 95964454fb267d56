#include "kernels/attention/attention.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.h"
#include "kernels/base/float16.h"

namespace llm_host::attention_test {

static const check::Suite suite("attention", [] { mx::set_default_device(mx::Device::cpu); });
namespace mx = mlx::core;

namespace {

std::mt19937 random_bits(5);

mx::array random_array(const mx::Shape& shape) {
  std::normal_distribution<float> normal;
  size_t count = 1;
  for (int size : shape) count *= static_cast<size_t>(size);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random_bits);
  return mx::array(values.begin(), shape, mx::float32);
}

struct Case {
  int length;  // queries
  int before;  // keys that are in the cache before them
  int window = 0;
  bool sinks = false;
  int heads = 4, kv_heads = 2, head_dim = 64;
  float cap = 0;
  bool query_weights = false;
};

mx::Dtype kTypes[] = {mx::float32, mx::float16};

// Random where keys are, and not a number behind them, where the slots of a cache are undefined.
mx::array random_cache(const mx::Shape& shape, int before, mx::Dtype type) {
  mx::Shape empty = shape;
  empty[2] -= before;
  mx::array keys = random_array({shape[0], shape[1], before, shape[3]});
  mx::array none = mx::full(empty, std::numeric_limits<float>::quiet_NaN());
  return mx::contiguous(mx::astype(mx::concatenate({keys, none}, 2), type));
}

double value_at(const mx::array& cache, int64_t i) {
  if (cache.dtype() == mx::float32) return cache.data<float>()[i];
  return float16_to_float(cache.data<uint16_t>()[i]);
}

// Compares with float64. All frequencies are 0, so queries and keys stay unrotated.
void check_attention(const Case& c, mx::Dtype type, bool allow_bfloat16, int outputs,
                     double tolerance) {
  int total = c.before + c.length, capacity = total + 40;
  mx::Shape cache_shape{1, c.kv_heads, capacity, c.head_dim};
  mx::array keys = random_cache(cache_shape, c.before, type);
  mx::array values = random_cache(cache_shape, c.before, type);
  mx::array q = random_array({1, c.length, c.heads * c.head_dim});
  mx::array k = random_array({1, c.length, c.kv_heads * c.head_dim});
  mx::array v = random_array({1, c.length, c.kv_heads * c.head_dim});
  mx::array sinks = random_array({c.heads});
  mx::array weights = c.query_weights ? random_array({c.head_dim}) : mx::ones({c.head_dim});
  mx::eval(keys, values, q, k, v, sinks, weights);
  std::vector<float> none(static_cast<size_t>(c.head_dim) / 2, 0.0f);
  cpu::AttentionShape shape{c.heads,  c.kv_heads, c.head_dim, c.window,       c.before,
                            c.before, outputs,    0.125f,     allow_bfloat16, c.cap};
  mx::array y = cpu::attention({q, k, v}, keys, values, shape, {none, 1.0f, false},
                               {c.sinks ? std::optional(sinks) : std::nullopt,
                                c.query_weights ? std::optional(weights) : std::nullopt});
  y.eval();
  double worst = 0;
  int skipped = c.length - outputs;
  for (int i = skipped; i < c.length; ++i) {
    for (int head = 0; head < c.heads; ++head) {
      const float* query = q.data<float>() + (i * c.heads + head) * c.head_dim;
      int64_t base = static_cast<int64_t>(head / (c.heads / c.kv_heads)) * capacity;
      int last = c.before + i, first = c.window > 0 ? std::max(0, last + 1 - c.window) : 0;
      std::vector<double> out(static_cast<size_t>(c.head_dim));
      double sum = c.sinks ? std::exp(static_cast<double>(sinks.data<float>()[head])) : 0;
      for (int slot = first; slot <= last; ++slot) {
        double score = 0;
        int64_t row = (base + slot) * c.head_dim;
        for (int d = 0; d < c.head_dim; ++d) {
          score += 0.125 * query[d] * weights.data<float>()[d] * value_at(keys, row + d);
        }
        double weight = std::exp(c.cap > 0 ? c.cap * std::tanh(score / c.cap) : score);
        sum += weight;
        for (int d = 0; d < c.head_dim; ++d) {
          out[static_cast<size_t>(d)] += weight * value_at(values, row + d);
        }
      }
      const float* found = y.data<float>() + ((i - skipped) * c.heads + head) * c.head_dim;
      for (int d = 0; d < c.head_dim; ++d) {
        double error = std::abs(found[d] - out[static_cast<size_t>(d)] / sum);
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
      }
    }
  }
  if (worst > tolerance) {
    std::printf("  length %d before %d window %d: error %g\n", c.length, c.before, c.window, worst);
  }
  CHECK(worst <= tolerance);
  // The new keys have been appended at slot `before`.
  for (int channel = 0; channel < c.kv_heads * c.head_dim; ++channel) {
    int64_t at = (static_cast<int64_t>(channel / c.head_dim) * capacity + c.before) * c.head_dim +
                 channel % c.head_dim;
    CHECK_NEAR(value_at(keys, at), k.data<float>()[channel], type == mx::float32 ? 0 : 4e-3);
  }
}

const Case kCases[] = {{1, 0},
                       {1, 300},
                       {5, 0},
                       {37, 100},
                       {70, 0},
                       {1, 300, 20},
                       {40, 60, 16},
                       {1, 9, 0, true},
                       {33, 5, 0, true},
                       {54, 700},
                       {5, 900},
                       {9, 300, 0, true},
                       {50, 400, 190},
                       {130, 200, 33, true, 8, 2},
                       {300, 20, 0, false, 9, 3},
                       {40, 600, 0, false, 2, 2, 96},
                       {2, 3, 0, false, 6, 2, 80},
                       {64, 64, 0, false, 8, 8, 128},
                       {60, 40, 0, false, 4, 2, 64, 1.5f},
                       {1, 300, 40, true, 4, 2, 64, 0.5f},
                       {50, 30, 0, false, 4, 2, 64, 0, true},
                       {1, 77, 16, false, 4, 1, 32, 2, true}};

// Outputs for all queries, for some, and for the last one only.
void check_all(bool allow_bfloat16, double tolerance) {
  for (mx::Dtype type : kTypes) {
    for (const Case& c : kCases) {
      for (int outputs : {c.length, (c.length + 1) / 2, 1}) {
        check_attention(c, type, allow_bfloat16, outputs, tolerance);
      }
    }
  }
}

}  // namespace

TEST(attention_equals_float64) { check_all(false, 1e-5); }

// On a matrix unit, queries, keys, values and softmax weights are rounded to bfloat16.
TEST(bfloat16_attention_is_near_float64) { check_all(true, 0.03); }

}  // namespace llm_host::attention_test
