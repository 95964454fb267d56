#include "kernels/ops.h"

#include <cmath>
#include <random>

#include "check.h"
#include "kernels/delta_ops.h"

namespace llm_host::ops_test {

static const check::Suite suite("ops", [] { mx::set_default_device(mx::Device::cpu); });

namespace {

std::mt19937 random_bits(7);

mx::array random_array(const mx::Shape& shape, float low, float high) {
  std::uniform_real_distribution<float> uniform(low, high);
  size_t count = 1;
  for (int size : shape) count *= static_cast<size_t>(size);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random_bits);
  mx::array array(values.begin(), shape, mx::float32);
  array.eval();
  return array;
}

double difference(const std::vector<double>& expected, size_t from, const mx::array& got) {
  mx::array flat = mx::contiguous(mx::flatten(got));
  flat.eval();
  double worst = 0;
  for (size_t i = 0; i < flat.size(); ++i) {
    worst = std::max(worst, std::abs(expected[from + i] - flat.data<float>()[i]));
  }
  return worst;
}

using Row = std::vector<double>;

Row unit(const float* x, int size, double factor) {
  double square = 1e-6;
  for (int i = 0; i < size; ++i) square += static_cast<double>(x[i]) * x[i];
  Row out;
  for (int i = 0; i < size; ++i) out.push_back(x[i] * factor / std::sqrt(square));
  return out;
}

double dot(const Row& a, const double* b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The definition, in float64 -> y, then the states.
std::vector<double> delta_reference(const cpu::DeltaShape& s, const mx::array& qkv,
                                    const mx::array& decay, const mx::array& beta,
                                    const mx::array& states) {
  int keys = s.key_heads * s.key_dim, values = s.value_heads * s.value_dim;
  std::vector<double> out;
  std::vector<double> all(states.data<float>(), states.data<float>() + states.size());
  for (int t = 0; t < qkv.shape(1); ++t) {
    const float* row = qkv.data<float>() + t * (2 * keys + values);
    for (int head = 0; head < s.value_heads; ++head) {
      int group = s.value_heads / s.key_heads, i = t * s.value_heads + head;
      int at = (s.tiled ? head % s.key_heads : head / group) * s.key_dim;
      Row q = unit(row + at, s.key_dim, 1 / std::sqrt(static_cast<double>(s.key_dim)));
      Row k = unit(row + keys + at, s.key_dim, 1);
      for (int p = 0; p < s.value_dim; ++p) {
        double* state = all.data() + (head * s.value_dim + p) * s.key_dim;
        for (int n = 0; n < s.key_dim; ++n) state[n] *= decay.data<float>()[i];
        double v = row[2 * keys + head * s.value_dim + p];
        double change = beta.data<float>()[i] * (v - dot(k, state));
        for (int n = 0; n < s.key_dim; ++n) state[n] += change * k[static_cast<size_t>(n)];
        out.push_back(dot(q, state));
      }
    }
  }
  out.insert(out.end(), all.begin(), all.end());
  return out;
}

}  // namespace

TEST(delta_scan_equals_the_recurrence_and_leaves_the_old_states) {
  for (cpu::DeltaShape s :
       {cpu::DeltaShape{2, 4, 8, 12}, {3, 3, 16, 5}, {1, 4, 32, 32}, {2, 6, 8, 8, true}}) {
    for (int length : {1, 9}) {
      int width = 2 * s.key_heads * s.key_dim + s.value_heads * s.value_dim;
      mx::array qkv = random_array({1, length, width}, -2, 2);
      mx::array decay = random_array({1, length, s.value_heads}, 0.1f, 1);
      mx::array beta = random_array({1, length, s.value_heads}, 0, 1);
      mx::array old = random_array({1, s.value_heads, s.value_dim, s.key_dim}, -1, 1);
      mx::array copy = mx::add(old, mx::zeros_like(old));
      copy.eval();
      std::vector<double> expected = delta_reference(s, qkv, decay, beta, old);
      auto [y, states] = cpu::delta_scan(qkv, decay, beta, old, s);
      CHECK(difference(expected, 0, y) < 1e-5);
      CHECK(difference(expected, y.size(), states) < 1e-5);
      CHECK(mx::array_equal(old, copy).item<bool>());
    }
  }
}

TEST(layer_norm_equals_float64) {
  for (int size : {1, 7, 64, 300}) {
    mx::array x = random_array({2, 3, size}, -3, 5), weight = random_array({size}, -2, 2);
    mx::array bias = random_array({size}, -2, 2);
    std::vector<double> plain, biased;
    for (int row = 0; row < 6; ++row) {
      const float* from = x.data<float>() + row * size;
      double mean = 0, square = 0;
      for (int i = 0; i < size; ++i) mean += from[i] / static_cast<double>(size);
      for (int i = 0; i < size; ++i) square += (from[i] - mean) * (from[i] - mean) / size;
      for (int i = 0; i < size; ++i) {
        plain.push_back((from[i] - mean) / std::sqrt(square + 1e-5) * weight.data<float>()[i]);
        biased.push_back(plain.back() + bias.data<float>()[i]);
      }
    }
    CHECK(difference(plain, 0, cpu::layer_norm(x, weight, std::nullopt, 1e-5f)) < 2e-5);
    CHECK(difference(biased, 0, cpu::layer_norm(x, weight, bias, 1e-5f)) < 2e-5);
  }
}

TEST(activations_without_a_gate_equal_float64) {
  mx::array x = random_array({3, 77}, -6, 6);
  std::vector<float> constants{0.7f, 1.3f, 0.5f, -1e-6f};
  mx::array p(constants.begin(), {4}, mx::float32);
  std::vector<double> gelu, xielu;
  for (size_t i = 0; i < x.size(); ++i) {
    double v = x.data<float>()[i];
    gelu.push_back(v / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))));
    xielu.push_back(v > 0 ? 0.7 * v * v + 0.5 * v
                          : 1.3 * (std::expm1(std::min(v, -1e-6)) - v) + 0.5 * v);
  }
  CHECK(difference(gelu, 0, cpu::gelu_tanh(x)) < 1e-5);
  CHECK(difference(xielu, 0, cpu::xielu(x, p)) < 1e-4);
}

}  // namespace llm_host::ops_test
