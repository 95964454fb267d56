#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "check.h"
#include "kernels/base/float16.h"
#include "kernels/packed/kernels.h"
#include "kernels/packed/panels.h"
#include "kernels/packed/tiles.h"
#include "kernels/packed/unit.h"
#include "variants.h"

using namespace llm_host;

namespace {

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

std::mt19937 random_bits(7);

float random_float(float scale = 1) {
  return std::normal_distribution<float>(0, scale)(random_bits);
}

uint16_t bfloat16_of(float value) {
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
}

// A random packed matrix and its weights in float64.
struct Matrix {
  PackedMatrix packed;
  std::vector<uint8_t> bytes;
  std::vector<double> exact;
  std::vector<double> offsets;  // [rows, cols]: the bias of each weight's group
};

float rounded(Scales type, float value) {
  // Volatile, as GCC 12 returns `value` itself otherwise.
  volatile uint16_t bfloat16 = bfloat16_of(value);
  if (type == Scales::kBfloat16) return bfloat16_to_float(bfloat16);
  return type == Scales::kFloat16 ? float16_to_float(float_to_float16(value)) : value;
}

// How a matrix is stored.
struct Form {
  Kind kind;
  int group;  // 0: dense
  Scales scales;
  int zero = 0;

  // Columns that a matrix has a multiple of.
  int unit() const { return group == 0 ? 2 : group * PackedMatrix::unit_groups(scales); }
};

PackedMatrix layout_of(int rows, int cols, const Form& form) {
  PackedMatrix p;
  p.rows = rows;
  p.cols = cols;
  p.kind = form.kind;
  p.group_size = p.quantized() ? form.group : cols;
  p.scales = form.scales;
  p.zero = form.zero;
  return p;
}

uint8_t* aligned(std::vector<uint8_t>& bytes, int64_t size) {
  bytes.assign(static_cast<size_t>(size) + 128, 0);
  return bytes.data() + (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64) % 64;
}

// As MLX stores it.
void fill_stored(Matrix& m) {
  PackedMatrix& p = m.packed;
  size_t count = static_cast<size_t>(p.rows) * p.cols;
  int bits = p.quantized() ? p.bits() : 0;
  std::vector<uint32_t> words(count * p.bits() / 32);
  std::vector<float> scale_values, biases;
  if (bits == 0) {
    auto* values = reinterpret_cast<uint16_t*>(words.data());
    for (size_t i = 0; i < count; ++i) {
      float value = random_float();
      bool bfloat16 = p.kind == Kind::kBfloat16;
      values[i] = bfloat16 ? bfloat16_of(value) : float_to_float16(value);
      m.exact.push_back(bfloat16 ? bfloat16_to_float(values[i]) : float16_to_float(values[i]));
    }
    m.offsets.resize(count);
  } else {
    for (uint32_t& word : words) word = static_cast<uint32_t>(random_bits());
    size_t group = static_cast<size_t>(p.group_size);
    for (size_t i = 0; i < count / group; ++i) {
      scale_values.push_back(rounded(p.scales, random_float(0.1f)));
      biases.push_back(rounded(p.scales, random_float(0.1f)));
    }
    for (size_t i = 0; i < count; ++i) {
      uint32_t q = words[i * bits / 32] >> (i * bits % 32) & ((1u << bits) - 1);
      m.exact.push_back(static_cast<double>(scale_values[i / group]) * q + biases[i / group]);
      m.offsets.push_back(biases[i / group]);
    }
    CHECK(smallest_scales(scale_values.data(), biases.data(),
                          static_cast<int64_t>(biases.size())) == p.scales);
  }
  pack(p, {words.data(), scale_values.data(), biases.data(), bits}, aligned(m.bytes, p.bytes()));
}

double float16_of(uint16_t bits) { return float16_to_float(bits); }

// Unit by unit, as ggml's blocks are packed.
void fill_units(Matrix& m) {
  PackedMatrix& p = m.packed;
  uint8_t* target = aligned(m.bytes, p.bytes());
  p.data = target;
  for (int row = 0; row < p.rows; ++row) {
    for (int u = 0; u < p.groups() / p.unit_groups(); ++u) {
      PackedUnit unit;
      unit.scale = float_to_float16(random_float(0.1f));
      unit.bias = float_to_float16(random_float(0.1f));
      for (uint8_t& code : unit.codes) code = random_bits() & ((1u << p.bits()) - 1);
      bool six = p.scales == Scales::kSixBits;
      for (uint8_t& scale : unit.scales) scale = random_bits() & (six ? 63 : 255);
      for (uint8_t& minimum : unit.minima) minimum = random_bits() & 63;
      pack_unit(p, unit, row, row_start(p, target, row) + u * p.unit_bytes());
      for (int c = 0; c < p.unit_groups() * p.group_size; ++c) {
        int group = c / p.group_size;
        double scale = float16_of(unit.scale), bias = float16_of(unit.bias);
        if (six) {
          scale *= unit.scales[group];
          bias *= -unit.minima[group];
        } else if (p.scales != Scales::kFloat16) {
          if (p.scales == Scales::kSignedBytes) scale *= static_cast<int8_t>(unit.scales[group]);
          bias = -p.zero * scale;
        }
        m.exact.push_back(scale * unit.codes[c] + bias);
        m.offsets.push_back(bias);
      }
    }
  }
}

Matrix random_matrix(int rows, int cols, const Form& form) {
  Matrix m;
  m.packed = layout_of(rows, cols, form);
  bool stored = form.scales <= Scales::kFloat32 && form.kind != Kind::kAffine5;
  stored ? fill_stored(m) : fill_units(m);
  return m;
}

// The largest error of y [m, rows], relative to the sum of its terms' magnitudes. `rounded_x` is x
// as the kernels round it; the biases are multiplied with x itself.
double worst_error(const Matrix& w, const std::vector<double>& x,
                   const std::vector<double>& rounded_x, int m, const std::vector<float>& added,
                   const std::vector<float>& y) {
  size_t rows = static_cast<size_t>(w.packed.rows), cols = static_cast<size_t>(w.packed.cols);
  double worst = 0;
  for (size_t i = 0; i < static_cast<size_t>(m); ++i) {
    for (size_t r = 0; r < rows; ++r) {
      double sum = added[i * rows + r], size = std::abs(sum);
      for (size_t c = 0; c < cols; ++c) {
        double weight = w.exact[r * cols + c], offset = w.offsets[r * cols + c];
        sum += (weight - offset) * rounded_x[i * cols + c] + offset * x[i * cols + c];
        size += std::abs(weight * x[i * cols + c]);
      }
      worst = std::max(worst, std::abs(y[i * rows + r] - sum) / size);
    }
  }
  return worst;
}

struct Case {
  int rows, cols, m;
  Form form;
};

void report(const char* path, const Case& c, double error, double limit) {
  if (error > limit) {
    std::printf("  %s %dx%d kind %d group %d scales %d m %d: error %g\n", path, c.rows, c.cols,
                static_cast<int>(c.form.kind), c.form.group, static_cast<int>(c.form.scales), c.m,
                error);
  }
  CHECK(error <= limit);
}

// Bias and residual, and their sum.
struct Additions {
  std::vector<float> bias, residual, sum;

  Additions(int rows, int m) {
    for (int r = 0; r < rows; ++r) bias.push_back(random_float());
    for (int i = 0; i < m * rows; ++i) {
      residual.push_back(random_float());
      sum.push_back(residual.back() + bias[static_cast<size_t>(i % rows)]);
    }
  }
};

std::vector<double> in_float64(const std::vector<float>& x) { return {x.begin(), x.end()}; }

void check_path(const PackedKernels& path, const Case& c) {
  Matrix w = random_matrix(c.rows, c.cols, c.form);
  const PackedMatrix& p = w.packed;
  std::vector<float> x;
  for (int i = 0; i < c.m * c.cols; ++i) x.push_back(random_float());
  std::vector<double> rounded_x = in_float64(x);
  size_t groups = static_cast<size_t>(p.groups());
  std::vector<int8_t> int8(2 * x.size());
  std::vector<float> scales(c.m * groups), sums(c.m * groups);
  for (size_t i = 0; p.quantized() && i < static_cast<size_t>(c.m); ++i) {
    path.quantize(x.data() + i * c.cols, p, int8.data() + 2 * i * c.cols,
                  scales.data() + i * groups, sums.data() + i * groups);
  }
  for (size_t i = 0; p.quantized() && i < x.size(); ++i) {
    size_t size = static_cast<size_t>(p.group_size), group = i / size;
    float maximum = 0;
    for (size_t k = group * size; k < (group + 1) * size; ++k) {
      maximum = std::max(maximum, std::abs(x[k]));
    }
    CHECK(std::abs(scales[group] - maximum / 127) <= 1e-6f * maximum);
    double coarse = std::nearbyint(x[i] * (127 / maximum)),
           remainder = x[i] * (127 / maximum) - coarse;
    rounded_x[i] = (coarse + std::nearbyint(remainder * 254) / 254) * scales[group];
    CHECK(std::abs(rounded_x[i] - x[i]) <= 0.0021f * scales[group]);
  }
  Additions added(c.rows, c.m);
  std::vector<float> y(static_cast<size_t>(c.m) * c.rows, 1e9f);
  PackedInput input{x.data(), int8.data(), scales.data(), sums.data(), c.m};
  path.multiply(p, input, 0, p.blocks(),
                {y.data(), c.rows, added.bias.data(), added.residual.data()});
  report(path.name, c, worst_error(w, in_float64(x), rounded_x, c.m, added.sum, y), 1e-5);
}

template <typename F>
void on_every_path(F&& body) {
  for_each_variant(packed_variants(), body);
}

// Every form that there is.
template <typename F>
void for_forms(F&& body) {
  for (Kind kind : {Kind::kAffine4, Kind::kAffine8}) {
    for (int group : {32, 64, 128}) {
      for (Scales scales : {Scales::kFloat16, Scales::kBfloat16, Scales::kFloat32}) {
        body(Form{kind, group, scales});
      }
    }
  }
  body(Form{Kind::kBfloat16, 0, Scales::kFloat32});
  body(Form{Kind::kFloat16, 0, Scales::kFloat32});
  body(Form{Kind::kAffine4, 32, Scales::kSymmetric, 8});
  body(Form{Kind::kAffine5, 32, Scales::kSymmetric, 16});
  body(Form{Kind::kAffine8, 32, Scales::kSymmetric, 128});
  body(Form{Kind::kAffine5, 32, Scales::kFloat16});
  body(Form{Kind::kAffine4, 32, Scales::kSixBits});
  body(Form{Kind::kAffine5, 32, Scales::kSixBits});
  body(Form{Kind::kAffine6, 16, Scales::kSignedBytes, 32});
}

}  // namespace

TEST(unpacked_rows_equal_the_source) {
  for_forms([](const Form& form) {
    Matrix w = random_matrix(21, 512, form);
    std::vector<float> row(512);
    for (int r = 0; r < 21; ++r) {
      unpack_row(w.packed, r, row.data());
      double worst = 0;
      for (int c = 0; c < 512; ++c) {
        double exact = w.exact[static_cast<size_t>(r) * 512 + c];
        double error = std::abs(row[static_cast<size_t>(c)] - exact);
        worst = std::max(worst, error / (1 + std::abs(exact)));
      }
      CHECK(worst <= 1e-5);
    }
  });
}

TEST(products_equal_float64) {
  on_every_path([](const PackedKernels& path) {
    for_forms([&](const Form& form) {
      for (int rows : {1, 16, 37}) {
        for (int m : {1, 2, 9}) check_path(path, {rows, 3 * form.unit(), m, form});
      }
    });
  });
}

// A block of ggml's takes as many bytes packed.
TEST(packed_units_are_no_larger_than_their_blocks) {
  auto bits = [](const Form& form) {
    PackedMatrix p = layout_of(16, 256, form);
    return 8.0 * static_cast<double>(p.bytes()) / (16 * 256);
  };
  CHECK(bits({Kind::kAffine4, 32, Scales::kSymmetric, 8}) == 8 * 18 / 32.0);
  CHECK(bits({Kind::kAffine5, 32, Scales::kSymmetric, 16}) == 8 * 22 / 32.0);
  CHECK(bits({Kind::kAffine5, 32, Scales::kFloat16}) == 8 * 24 / 32.0);
  CHECK(bits({Kind::kAffine8, 32, Scales::kSymmetric, 128}) == 8 * 34 / 32.0);
  CHECK(bits({Kind::kAffine4, 32, Scales::kSixBits}) == 8 * 144 / 256.0);
  CHECK(bits({Kind::kAffine5, 32, Scales::kSixBits}) == 8 * 176 / 256.0);
  CHECK(bits({Kind::kAffine6, 16, Scales::kSignedBytes, 32}) == 8 * 210 / 256.0);
}

// Integer x is quantized without error, so the int8 sums must be exact, the largest ones too.
TEST(int8_sums_are_exact) {
  on_every_path([](const PackedKernels& path) {
    for (Kind kind : {Kind::kAffine4, Kind::kAffine8}) {
      Matrix w = random_matrix(16, 128, {kind, 32, Scales::kFloat32});
      for (int sign : {1, -1}) {
        std::vector<float> x(128);
        for (size_t i = 0; i < x.size(); ++i) {
          x[i] = static_cast<float>(i % 32 == 0 ? 127 * sign : sign * static_cast<int>(i % 120));
        }
        std::vector<int8_t> int8(256);
        std::vector<float> scales(4), sums(4), y(16), none(16);
        path.quantize(x.data(), w.packed, int8.data(), scales.data(), sums.data());
        path.multiply(w.packed, {nullptr, int8.data(), scales.data(), sums.data(), 1}, 0, 1,
                      {y.data(), 16, nullptr, nullptr});
        CHECK(worst_error(w, in_float64(x), in_float64(x), 1, none, y) <= 1e-5);
      }
    }
  });
}

TEST(zeros_stay_zero) {
  on_every_path([](const PackedKernels& path) {
    Matrix w = random_matrix(16, 64, {Kind::kAffine4, 32, Scales::kFloat16});
    std::vector<float> x(64), scales(2), sums(2), y(16, 1);
    std::vector<int8_t> int8(128, 5);
    path.quantize(x.data(), w.packed, int8.data(), scales.data(), sums.data());
    path.multiply(w.packed, {nullptr, int8.data(), scales.data(), sums.data(), 1}, 0, 1,
                  {y.data(), 16, nullptr, nullptr});
    for (float value : y) CHECK(value == 0);
  });
}

double nearest_bfloat16(double x) {
  uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(x));
  return bfloat16_to_float(static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}

double truncated_to_bfloat16(double x) {
  uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(x * kTruncationScale));
  return bfloat16_to_float(static_cast<uint16_t>(bits >> 16));
}

void check_tiles(const PackedTiles& tiles, const Case& c) {
  Matrix w = random_matrix(c.rows, c.cols, c.form);
  std::vector<float> x;
  for (int i = 0; i < c.m * c.cols; ++i) x.push_back(random_float());
  std::vector<uint16_t> rounded(static_cast<size_t>(c.m + 32) * c.cols);
  for (int i = 0; i < c.m; ++i) tiles.round(x.data() + i * c.cols, c.cols, i, rounded.data());
  std::vector<double> rounded_x;
  for (float value : x) rounded_x.push_back(nearest_bfloat16(value));
  bool affine = w.packed.quantized();
  for (double& weight : w.exact) {
    weight = affine ? truncated_to_bfloat16(weight) : nearest_bfloat16(weight);
  }
  Additions added(c.rows, c.m);
  std::vector<float> y(static_cast<size_t>(c.m) * c.rows);
  tiles.multiply(w.packed, rounded.data(), c.m, 0, w.packed.blocks(),
                 {y.data(), c.rows, added.bias.data(), added.residual.data()});
  w.offsets.assign(w.exact.size(), 0);
  // Float64 may truncate a weight to the neighbour of the value that float32 arithmetic gives.
  report(tiles.name, c, worst_error(w, rounded_x, rounded_x, c.m, added.sum, y),
         affine ? 5e-4 : 1e-4);
}

TEST(tiles_equal_float64_of_bfloat16) {
  for_each_variant(packed_tiles_variants(), [](const PackedTiles& tiles) {
    for_forms([&](const Form& form) {
      for (int rows : {5, 32, 50}) {
        for (int m : {16, 17, 33, 64}) check_tiles(tiles, {rows, 256, m, form});
      }
    });
  });
}

// The largest sums of 16 bits that codes of 5 and 6 bits can give.
TEST(int8_sums_of_the_largest_codes_are_exact) {
  on_every_path([](const PackedKernels& path) {
    for (const Form& form : {Form{Kind::kAffine5, 32, Scales::kSymmetric, 16},
                             Form{Kind::kAffine6, 16, Scales::kSignedBytes, 32}}) {
      PackedMatrix p = layout_of(16, 256, form);
      std::vector<uint8_t> bytes;
      uint8_t* target = aligned(bytes, p.bytes());
      p.data = target;
      PackedUnit unit;
      unit.scale = float_to_float16(1);
      std::fill(std::begin(unit.codes), std::end(unit.codes), (1 << p.bits()) - 1);
      std::fill(std::begin(unit.scales), std::end(unit.scales), 1);
      for (int row = 0; row < 16; ++row) {
        for (int u = 0; u < p.groups() / p.unit_groups(); ++u)
          pack_unit(p, unit, row, row_start(p, target, row) + u * p.unit_bytes());
      }
      size_t groups = static_cast<size_t>(p.groups());
      for (float sign : {1.0f, -1.0f}) {
        std::vector<float> x(256, 127 * sign), scales(groups), sums(groups), y(16);
        std::vector<int8_t> int8(512);
        path.quantize(x.data(), p, int8.data(), scales.data(), sums.data());
        path.multiply(p, {nullptr, int8.data(), scales.data(), sums.data(), 1}, 0, 1,
                      {y.data(), 16, nullptr, nullptr});
        float expected = 256 * 127 * sign * static_cast<float>((1 << p.bits()) - 1 - form.zero);
        for (float value : y) CHECK(value == expected);
      }
    }
  });
}

// What the matrix units multiply, which few CPUs have, on those that can unpack it.
TEST(panels_equal_the_source) {
  if (!panels_available()) return check::skip("this CPU or build has no avx512");
  for_forms([](const Form& form) {
    if (form.kind == Kind::kBfloat16) return;
    Matrix w = random_matrix(32, 512, form);
    std::vector<uint8_t> bytes;
    uint8_t* panel = aligned(bytes, 512 / 2 * 64);
    for (int block : {0, 1}) {
      unpack_panel(w.packed, block, panel);
      double worst = 0;
      for (int i = 0; i < 16 * 512; ++i) {
        int row = i / 512, c = i % 512;
        uint16_t bits;
        std::memcpy(&bits, panel + 64 * (c / 2) + 4 * row + 2 * (c % 2), 2);
        size_t w_at = static_cast<size_t>(512 * (16 * block + row) + c);
        double exact = w.exact[w_at];
        // A small weight is the difference of a product and a bias, which are rounded in float32.
        double size = std::abs(exact) + std::abs(w.offsets[w_at]) / 1024;
        if (size > 0) worst = std::max(worst, std::abs(bfloat16_to_float(bits) - exact) / size);
      }
      CHECK(worst <= 0x1p-7);
    }
  });
}

TEST(float16_converts_both_ways) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t float16 = static_cast<uint16_t>(bits);
    float value = float16_to_float(float16);
    if (std::isnan(value)) continue;
    CHECK(float_to_float16(value) == float16);
  }
  CHECK(float_to_float16(65520.0f) == 0x7c00);
  CHECK(float_to_float16(65519.0f) == 0x7bff);
  CHECK(float_to_float16(0x1p-25f) == 0);
  CHECK(float_to_float16(0x1.8p-25f) == 1);
}

int main() { return check::run("packed"); }
