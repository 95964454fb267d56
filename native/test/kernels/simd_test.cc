#include "kernels/simd/simd.h"

#include <algorithm>
#include <random>
#include <vector>

#include "check.h"
#include "kernels/base/float16.h"
#include "kernels/simd/linear.h"
#include "variants.h"

namespace llm_host::simd_test {

static const check::Suite suite("simd");

namespace {

std::mt19937 random_bits(11);

std::vector<float> random_floats(size_t count, float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random_bits);
  return values;
}

// A random matrix and its weights in float64.
struct Matrix {
  std::vector<uint32_t> words;
  std::vector<float> dense, scales, biases;
  std::vector<double> exact;
  CpuMatrix view;
};

Matrix random_matrix(int rows, int cols, int bits, int group) {
  Matrix m;
  size_t count = static_cast<size_t>(rows) * cols;
  if (bits == 0) {
    m.dense = random_floats(count);
    m.exact.assign(m.dense.begin(), m.dense.end());
    m.view = {m.dense.data(), nullptr, nullptr, rows, cols, 0, 0};
    return m;
  }
  m.words.resize(count * bits / 32);
  for (uint32_t& word : m.words) word = static_cast<uint32_t>(random_bits());
  m.scales = random_floats(count / group, 0.1f);
  m.biases = random_floats(count / group, 0.1f);
  for (size_t i = 0; i < count; ++i) {
    uint32_t q = m.words[i * bits / 32] >> (i * bits % 32) & ((1u << bits) - 1);
    m.exact.push_back(static_cast<double>(m.scales[i / group]) * q + m.biases[i / group]);
  }
  m.view = {m.words.data(), m.scales.data(), m.biases.data(), rows, cols, group, bits};
  return m;
}

void check_multiply(const Simd& simd, int rows, int cols, int bits, int group, int m,
                    bool reproducible, int rank = 0) {
  Matrix w = random_matrix(rows, cols, bits, group);
  std::vector<float> x = random_floats(static_cast<size_t>(m) * cols),
                     y(static_cast<size_t>(m) * rows);
  std::vector<float> down = random_floats(static_cast<size_t>(rank) * cols, 0.1f);
  std::vector<float> up = random_floats(static_cast<size_t>(rank) * rows, 0.1f);
  multiply(simd, w.view, {down.data(), up.data(), rank}, x.data(), m, reproducible, y.data());
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      for (int i = 0; i < rank; ++i) {
        w.exact[static_cast<size_t>(r) * cols + c] +=
            static_cast<double>(up[static_cast<size_t>(i) * rows + r]) *
            down[static_cast<size_t>(i) * cols + c];
      }
    }
  }
  double worst = 0;
  for (int i = 0; i < m; ++i) {
    for (int r = 0; r < rows; ++r) {
      double sum = 0, size = 0;
      for (int c = 0; c < cols; ++c) {
        double product = static_cast<double>(x[static_cast<size_t>(i) * cols + c]) *
                         w.exact[static_cast<size_t>(r) * cols + c];
        sum += product;
        size += std::abs(product);
      }
      worst = std::max(worst, std::abs(y[static_cast<size_t>(i) * rows + r] - sum) / size);
    }
  }
  if (worst > 1e-5) {
    std::printf("  %s %dx%d, %d bits, group %d, m %d: error %g\n", simd.name, rows, cols, bits,
                group, m, worst);
  }
  CHECK(worst <= 1e-5);
}

// By both ways of multiplying several rows.
void check_both(const Simd& simd, int rows, int cols, int bits, int group, int m, int rank = 0) {
  for (bool reproducible : {false, true}) {
    check_multiply(simd, rows, cols, bits, group, m, reproducible, rank);
  }
}

template <typename F>
void on_every_path(F&& body) {
  for_each_variant(simd_variants(), body);
}

}  // namespace

TEST(quantized_multiply_equals_float64) {
  on_every_path([](const Simd& simd) {
    for (int bits : {4, 8}) {
      for (int group : {32, 64, 128}) {
        // Rows of whole vector blocks, with a partial block at the end, and shorter than a block.
        for (int groups : {1, 3, 4, 9}) {
          for (int m : {1, 2, 5, 16}) check_both(simd, 23, group * groups, bits, group, m);
        }
      }
    }
  });
}

TEST(dense_multiply_equals_float64) {
  on_every_path([](const Simd& simd) {
    for (int cols : {1, 7, 16, 64, 100, 333}) {
      for (int m : {1, 3, 4, 9}) check_both(simd, 19, cols, 0, 0, m);
    }
  });
}

TEST(low_rank_additions_equal_float64) {
  on_every_path([](const Simd& simd) {
    for (int rank : {1, 4, 8, 16, 20}) {
      for (int m : {1, 3, 8}) {
        check_both(simd, 150, 64, 4, 32, m, rank);
        check_both(simd, 21, 50, 0, 0, m, rank);
      }
    }
  });
}

TEST(large_matrices_are_split_over_threads) {
  on_every_path([](const Simd& simd) {
    check_both(simd, 3000, 256, 4, 32, 1);
    check_both(simd, 500, 256, 8, 64, 33);
  });
}

TEST(exponentials_and_their_sum) {
  on_every_path([](const Simd& simd) {
    for (int n : {1, 5, 16, 37, 200}) {
      std::vector<float> s = random_floats(static_cast<size_t>(n), 20), original = s;
      float found = simd.maximum(s.data(), n), total = simd.exponentials(s.data(), n, 0.5f, found);
      double sum = 0, top = *std::max_element(original.begin(), original.end());
      for (float x : original) sum += std::exp(0.5 * (x - top));
      CHECK_NEAR(found, top, 0);
      CHECK_NEAR(total, sum, 1e-6 * sum);
      for (int i = 0; i < n; ++i) {
        size_t at = static_cast<size_t>(i);
        CHECK_NEAR(s[at], std::exp(0.5 * (original[at] - top)), 1e-6);
      }
    }
  });
}

TEST(swiglu_equals_float64_even_for_large_values) {
  on_every_path([](const Simd& simd) {
    std::vector<float> gate = random_floats(75, 10), up = random_floats(75), out(75);
    gate[0] = 200;
    gate[1] = -200;
    gate[2] = 0;
    simd.swiglu(gate.data(), up.data(), 75, out.data());
    for (size_t i = 0; i < out.size(); ++i) {
      double expected = gate[i] / (1 + std::exp(-static_cast<double>(gate[i]))) * up[i];
      CHECK_NEAR(out[i], expected, 1e-6 * std::abs(expected) + 1e-30);
    }
  });
}

TEST(geglu_equals_float64_even_for_large_values) {
  on_every_path([](const Simd& simd) {
    std::vector<float> gate = random_floats(75, 5), up = random_floats(75), out(75);
    gate[0] = 200;
    gate[1] = -200;
    gate[2] = 0;
    simd.geglu(gate.data(), up.data(), 75, out.data());
    for (size_t i = 0; i < out.size(); ++i) {
      double g = gate[i], u = 0.7978845608028654 * (g + 0.044715 * g * g * g);
      double expected = g / (1 + std::exp(-2 * u)) * up[i];
      // e^x magnifies the rounding of x by |x|.
      CHECK_NEAR(out[i], expected, 1e-5 * std::abs(expected) + 1e-30);
    }
  });
}

TEST(gelu_equals_float64_even_for_large_values) {
  on_every_path([](const Simd& simd) {
    std::vector<float> x = random_floats(75, 3), out(75);
    x[0] = 200;
    x[1] = -200;
    x[2] = 0;
    simd.gelu(x.data(), 75, out.data());
    for (size_t i = 0; i < out.size(); ++i) {
      double v = x[i], expected = v * std::erfc(-v * std::sqrt(0.5)) / 2;
      CHECK_NEAR(out[i], expected, 1e-6 * std::abs(expected) + 5e-7 * std::abs(v));
    }
  });
}

TEST(layer_norm_equals_float64) {
  on_every_path([](const Simd& simd) {
    for (int n : {3, 16, 100, 384}) {
      size_t size = static_cast<size_t>(n);
      std::vector<float> x = random_floats(size, 3), weight = random_floats(size);
      std::vector<float> bias = random_floats(size), out(size);
      // A mean that is large beside the deviation.
      for (float& value : x) value += 30;
      simd.layer_norm(x.data(), weight.data(), bias.data(), n, 1e-12f, out.data());
      double mean = 0, squares = 0;
      for (float value : x) mean += value / static_cast<double>(n);
      for (float value : x) squares += (value - mean) * (value - mean);
      for (size_t i = 0; i < size; ++i) {
        double expected = (x[i] - mean) / std::sqrt(squares / n + 1e-12) * weight[i] + bias[i];
        CHECK_NEAR(out[i], expected, 1e-5 * std::abs(expected) + 1e-5);
      }
    }
  });
}

TEST(rms_norm_equals_float64) {
  on_every_path([](const Simd& simd) {
    for (int n : {3, 16, 100, 576}) {
      size_t size = static_cast<size_t>(n);
      std::vector<float> x = random_floats(size, 3), weight = random_floats(size), out(size);
      simd.rms_norm(x.data(), weight.data(), n, 1e-5f, out.data());
      double squares = 0;
      for (float value : x) squares += static_cast<double>(value) * value;
      for (size_t i = 0; i < size; ++i) {
        double expected = x[i] / std::sqrt(squares / n + 1e-5) * weight[i];
        CHECK_NEAR(out[i], expected, 2e-6 * std::abs(expected) + 1e-9);
      }
    }
  });
}

TEST(float16_is_ieee_754_without_infinities) {
  std::vector<uint16_t> float16;
  for (int bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) != 0x7c00) float16.push_back(static_cast<uint16_t>(bits));
  }
  std::vector<float> values = {65519, 65520, 1e6f, -1e30f, 1e-8f, 0x1p-25f, 0x1.8p-24f, -0.0f};
  // Close to the middle of two subnormals: double rounding would pick the wrong one.
  values.insert(values.end(), {0x1.0002b2p-25f, -0x1.7ffcaap-24f, 0x1.40017p-23f, 0x1.1bffep-19f});
  for (float value : random_floats(4096, 1000)) values.insert(values.end(), {value, value * 1e-7f});
  on_every_path([&](const Simd& simd) {
    std::vector<float> wide(float16.size());
    simd.widen(float16.data(), static_cast<int>(float16.size()), wide.data());
    std::vector<uint16_t> back(float16.size()), narrow(values.size());
    simd.narrow(wide.data(), static_cast<int>(wide.size()), back.data());
    CHECK(back == float16);
    for (size_t i = 0; i < float16.size(); ++i) CHECK(wide[i] == float16_to_float(float16[i]));
    simd.narrow(values.data(), static_cast<int>(values.size()), narrow.data());
    for (size_t i = 0; i < values.size(); ++i) {
      float within = std::clamp(values[i], -65504.0f, 65504.0f);
      CHECK(narrow[i] == float_to_float16(within));
    }
    // One at a time, as at the end of a row.
    for (size_t i = 0; i < values.size(); ++i) {
      uint16_t one;
      simd.narrow(&values[i], 1, &one);
      CHECK(one == narrow[i]);
    }
  });
}

TEST(products_with_float16_are_those_with_what_it_widens_to) {
  on_every_path([&](const Simd& simd) {
    for (int m : {1, 2, 3, 4, 7}) {
      for (int k : {8, 40, 64, 128}) {
        constexpr int n = 21;
        size_t rows = static_cast<size_t>(m), size = static_cast<size_t>(n) * k;
        std::vector<float> a = random_floats(rows * k), p = random_floats(rows * n), wide(size);
        std::vector<uint16_t> b(size);
        simd.narrow(random_floats(size).data(), n * k, b.data());
        simd.widen(b.data(), n * k, wide.data());
        std::vector<float> expected(rows * n), products(rows * n);
        simd.dots(a.data(), k, m, wide.data(), k, n, k, expected.data(), n);
        simd.dots_float16(a.data(), k, m, b.data(), k, n, k, products.data(), n);
        CHECK(products == expected);
        std::vector<float> sums(rows * k), expected_sums(rows * k);
        simd.weighted_sum(p.data(), n, m, wide.data(), k, n, k, expected_sums.data(), k);
        simd.weighted_sum_float16(p.data(), n, m, b.data(), k, n, k, sums.data(), k);
        CHECK(sums == expected_sums);
      }
    }
  });
}

}  // namespace llm_host::simd_test
