#include <algorithm>
#include <cmath>
#include <vector>

#include "check.h"
#include "kernels/packed/sets/kernels.h"
#include "packed_forms.h"
#include "variants.h"

using namespace llm_host;

namespace {

// In any order, as the rows of a panel are interleaved.
bool same_values(std::vector<float> expected, std::vector<float> values) {
  std::sort(expected.begin(), expected.end());
  std::sort(values.begin(), values.end());
  return std::equal(expected.begin(), expected.end(), values.begin(), values.end(),
                    [](float a, float b) { return std::abs(a - b) <= 1e-6f * a; });
}

void check_path(const PackedKernels& path, const Case& c) {
  Matrix w = random_matrix(c.rows, c.cols, c.form);
  const PackedMatrix& p = w.packed;
  std::vector<float> x;
  for (int i = 0; i < c.m * c.cols; ++i) x.push_back(random_float());
  std::vector<double> rounded_x = in_float64(x);
  size_t groups = static_cast<size_t>(p.groups());
  std::vector<int8_t> int8(2 * x.size());
  std::vector<float> scales(c.m * groups), sums(c.m * groups), expected;
  PackedInt8 rows{int8.data(), scales.data(), sums.data(), c.m};
  for (size_t i = 0; p.quantized() && i < static_cast<size_t>(c.m); ++i) {
    path.quantize(x.data() + i * c.cols, p, static_cast<int>(i), rows);
  }
  for (size_t i = 0; p.quantized() && i < x.size(); ++i) {
    size_t size = static_cast<size_t>(p.group_size), group = i / size;
    float maximum = 0;
    for (size_t k = group * size; k < (group + 1) * size; ++k) {
      maximum = std::max(maximum, std::abs(x[k]));
    }
    float scale = maximum / 127;
    if (i % size == 0) expected.push_back(scale);
    // In float32, as the kernels do.
    float steps = x[i] * (127 / maximum);
    double coarse = std::nearbyint(steps), remainder = steps - coarse;
    rounded_x[i] = (coarse + std::nearbyint(remainder * 254) / 254) * scale;
    CHECK(std::abs(rounded_x[i] - x[i]) <= 0.0021f * scale);
  }
  if (p.quantized()) CHECK(same_values(expected, scales));
  Additions added(c.rows, c.m);
  std::vector<float> y(static_cast<size_t>(c.m) * c.rows, 1e9f);
  PackedInput input{x.data(), rows, c.m};
  path.multiply(p, input, 0, p.blocks(),
                {y.data(), c.rows, added.bias.data(), added.residual.data()});
  // A step of x that float32 rounds otherwise than float64 is multiplied with a code: those of
  // 4-bit floats are large beside their weights.
  report(path.name, c, worst_error(w, in_float64(x), rounded_x, c.m, added.sum, y),
         p.kind == Kind::kFloat4 ? 3e-5 : 1e-5);
}

template <typename F>
void on_every_path(F&& body) {
  for_each_variant(packed_variants(), body);
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

// Panels of 8, 4, 2 and 1 rows: each row has the bits that it has alone.
TEST(rows_are_the_same_in_every_panel) {
  constexpr int kRows = 37, kMost = 15;
  on_every_path([](const PackedKernels& path) {
    for_forms([&](const Form& form) {
      Matrix w = random_matrix(kRows, 2 * form.unit(), form);
      if (!w.packed.quantized()) return;
      size_t cols = static_cast<size_t>(w.packed.cols);
      std::vector<float> x(kMost * cols);
      for (float& value : x) value = random_float();
      auto product = [&](size_t first, int m) {
        size_t groups = static_cast<size_t>(m * w.packed.groups());
        std::vector<int8_t> int8(2 * static_cast<size_t>(m) * cols);
        std::vector<float> scales(groups), sums(groups), y(static_cast<size_t>(m) * kRows);
        PackedInt8 rows{int8.data(), scales.data(), sums.data(), m};
        for (int i = 0; i < m; ++i) {
          path.quantize(x.data() + (first + static_cast<size_t>(i)) * cols, w.packed, i, rows);
        }
        path.multiply(w.packed, {nullptr, rows, m}, 0, w.packed.blocks(), {y.data(), kRows});
        return y;
      };
      std::vector<float> alone;
      for (size_t row = 0; row < kMost; ++row) {
        std::vector<float> y = product(row, 1);
        alone.insert(alone.end(), y.begin(), y.end());
      }
      for (int m = 2; m <= kMost; ++m) {
        std::vector<float> together = product(0, m);
        CHECK(std::equal(together.begin(), together.end(), alone.begin()));
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
  CHECK(bits({Kind::kAffine5, 32, Scales::kFloat16, 0, true}) == 8 * 24 / 32.0);
  CHECK(bits({Kind::kAffine8, 32, Scales::kSymmetric, 128}) == 8 * 34 / 32.0);
  CHECK(bits({Kind::kAffine4, 32, Scales::kSixBits}) == 8 * 144 / 256.0);
  CHECK(bits({Kind::kAffine5, 32, Scales::kSixBits}) == 8 * 176 / 256.0);
  CHECK(bits({Kind::kAffine6, 16, Scales::kSignedBytes, 32}) == 8 * 210 / 256.0);
  // And MLX's as many as stored: codes, and scales of a byte or two of 16 bits.
  CHECK(bits({Kind::kFloat4, 32, Scales::kExponents}) == 4.25);
  CHECK(bits({Kind::kFloat4, 16, Scales::kFloat8}) == 4.5);
  CHECK(bits({Kind::kAffine2, 64, Scales::kBfloat16}) == 2.5);
  CHECK(bits({Kind::kAffine3, 64, Scales::kBfloat16}) == 3.5);
  CHECK(bits({Kind::kAffine6, 64, Scales::kFloat16}) == 6.5);
}

// Integer x is quantized without error, so the int8 sums must be exact, the largest ones too.
TEST(int8_sums_are_exact) {
  on_every_path([](const PackedKernels& path) {
    for (Kind kind :
         {Kind::kAffine2, Kind::kAffine3, Kind::kAffine4, Kind::kAffine6, Kind::kAffine8}) {
      Matrix w = random_matrix(16, 128, {kind, 32, Scales::kFloat32});
      for (int sign : {1, -1}) {
        std::vector<float> x(128);
        for (size_t i = 0; i < x.size(); ++i) {
          x[i] = static_cast<float>(i % 32 == 0 ? 127 * sign : sign * static_cast<int>(i % 120));
        }
        std::vector<int8_t> int8(256);
        std::vector<float> scales(4), sums(4), y(16), none(16);
        PackedInt8 rows{int8.data(), scales.data(), sums.data()};
        path.quantize(x.data(), w.packed, 0, rows);
        path.multiply(w.packed, {nullptr, rows}, 0, 1, {y.data(), 16, nullptr, nullptr});
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
    PackedInt8 rows{int8.data(), scales.data(), sums.data()};
    path.quantize(x.data(), w.packed, 0, rows);
    path.multiply(w.packed, {nullptr, rows}, 0, 1, {y.data(), 16, nullptr, nullptr});
    for (float value : y) CHECK(value == 0);
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
        PackedInt8 rows{int8.data(), scales.data(), sums.data()};
        path.quantize(x.data(), p, 0, rows);
        path.multiply(p, {nullptr, rows}, 0, 1, {y.data(), 16, nullptr, nullptr});
        float expected = 256 * 127 * sign * static_cast<float>((1 << p.bits()) - 1 - form.zero);
        for (float value : y) CHECK(value == expected);
      }
    }
  });
}

// The same for 4-bit floats, whose largest is 6, with a scale of 2.
TEST(int8_sums_of_the_largest_floats_are_exact) {
  on_every_path([](const PackedKernels& path) {
    PackedMatrix p = layout_of(16, 64, {Kind::kFloat4, 32, Scales::kExponents, 12});
    std::vector<uint32_t> words(16 * 64 / 8, 0x77777777);
    std::vector<uint8_t> exponents(16 * 2, 128), bytes;
    PackSource source{words.data()};
    source.byte_scales = exponents.data();
    pack(p, source, aligned(bytes, p.bytes()));
    for (float sign : {1.0f, -1.0f}) {
      std::vector<float> x(64, 127 * sign), scales(2), sums(2), y(16);
      std::vector<int8_t> int8(128);
      PackedInt8 rows{int8.data(), scales.data(), sums.data()};
      path.quantize(x.data(), p, 0, rows);
      path.multiply(p, {nullptr, rows}, 0, 1, {y.data(), 16, nullptr, nullptr});
      for (float value : y) CHECK(value == 64 * 127 * sign * 12);
    }
  });
}

int main() { return check::run("packed"); }
