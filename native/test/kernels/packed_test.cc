#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "check.h"
#include "kernels/packed/sets/kernels.h"
#include "packed_forms.h"
#include "variants.h"

namespace llm_host::packed_test {

static const check::Suite suite("packed");

namespace {

// In any order, as the rows of a panel are interleaved.
bool same_values(std::vector<float> expected, std::vector<float> values) {
  std::sort(expected.begin(), expected.end());
  std::sort(values.begin(), values.end());
  return std::equal(expected.begin(), expected.end(), values.begin(), values.end(),
                    [](float a, float b) { return std::abs(a - b) <= 1e-6f * a; });
}

// No group of these tests has a maximum of so many times the root mean square of its row.
constexpr float kNoneFine = 1e9f;

double root_mean_square(const float* x, size_t count) {
  double squares = 0;
  for (size_t i = 0; i < count; ++i) squares += double{x[i]} * x[i];
  return std::sqrt(squares / static_cast<double>(count));
}

// The int8 form of x, m rows.
struct Int8Rows {
  Int8Rows(const PackedKernels& path, const PackedMatrix& w, const float* x, int m,
           float fine_above)
      : int8(static_cast<size_t>(2 * m) * w.cols, 5),
        scales(static_cast<size_t>(m) * w.groups()),
        sums(scales.size()),
        offsets(2 * scales.size()),
        fine(scales.size()),
        view{int8.data(), scales.data(), sums.data(), offsets.data(), fine.data(), m, fine_above} {
    for (int i = 0; i < m; ++i) path.quantize(x + static_cast<int64_t>(i) * w.cols, w, i, view);
  }

  std::vector<int8_t> int8;
  std::vector<float> scales, sums;
  std::vector<int32_t> offsets;
  std::vector<uint8_t> fine;
  PackedInt8 view;
};

void check_path(const PackedKernels& path, const Case& c, float fine_above) {
  RandomMatrix w = random_matrix(c.rows, c.cols, c.form);
  const PackedMatrix& p = w.packed;
  std::vector<float> x;
  for (int i = 0; i < c.m * c.cols; ++i) x.push_back(random_float());
  std::vector<double> rounded_x = in_float64(x), summed_x = rounded_x;
  std::optional<Int8Rows> rows;
  if (p.quantized()) rows.emplace(path, p, x.data(), c.m, fine_above);
  std::vector<float> expected;
  double least = 0;
  for (size_t i = 0; p.quantized() && i < x.size(); ++i) {
    size_t cols = static_cast<size_t>(c.cols);
    if (i % cols == 0) least = fine_above * root_mean_square(x.data() + i, cols);
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
    bool fine = maximum > least;
    rounded_x[i] = (coarse + (fine ? std::nearbyint(remainder * 254) / 254 : 0)) * scale;
    CHECK(std::abs(rounded_x[i] - x[i]) <= (fine ? 0.0021f : 0.5001f) * scale);
    // Biases are multiplied with the values as they were, if those are hardly rounded.
    if (!fine || PackedMatrix::symmetric(p.scales)) summed_x[i] = rounded_x[i];
  }
  if (p.quantized()) CHECK(same_values(expected, rows->scales));
  Additions added(c.rows, c.m);
  std::vector<float> y(static_cast<size_t>(c.m) * c.rows, 1e9f);
  PackedInput input{x.data(), rows ? rows->view : PackedInt8{}, c.m};
  path.multiply(p, input, 0, p.blocks(),
                {y.data(), c.rows, added.bias.data(), added.residual.data()});
  // A step of x that float32 rounds otherwise than float64 is multiplied with a code: those of
  // 4-bit floats are large beside their weights.
  report(path.name, c, worst_error(w, summed_x, rounded_x, c.m, added.sum, y),
         p.kind == Kind::kFloat4 ? 3e-5 : 1e-5);
}

template <typename F>
void on_every_path(F&& body) {
  for_each_variant(packed_variants(), body);
}

}  // namespace

TEST(unpacked_rows_equal_the_source) {
  for_forms([](const Form& form) {
    RandomMatrix w = random_matrix(21, 512, form);
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
        for (int m : {1, 2, 9, 19}) {
          for (float fine_above : {0.0f, 1.7f, kNoneFine}) {
            check_path(path, {rows, 3 * form.unit(), m, form}, fine_above);
          }
        }
      }
    });
  });
}

// Panels of 16, 8, 4, 2 and 1 rows: each row has the bits that it has alone.
TEST(rows_are_the_same_in_every_panel) {
  constexpr int kRows = 37, kMost = 31;
  on_every_path([](const PackedKernels& path) {
    for_forms([&](const Form& form) {
      RandomMatrix w = random_matrix(kRows, 2 * form.unit(), form);
      if (!w.packed.quantized()) return;
      size_t cols = static_cast<size_t>(w.packed.cols);
      std::vector<float> x(kMost * cols);
      for (float& value : x) value = random_float();
      for (float fine_above : {0.0f, 1.8f, kNoneFine}) {
        auto product = [&](size_t first, int m) {
          Int8Rows rows(path, w.packed, x.data() + first * cols, m, fine_above);
          std::vector<float> y(static_cast<size_t>(m) * kRows);
          path.multiply(w.packed, {nullptr, rows.view, m}, 0, w.packed.blocks(), {y.data(), kRows});
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
      RandomMatrix w = random_matrix(16, 128, {kind, 32, Scales::kFloat32});
      for (int sign : {1, -1}) {
        std::vector<float> x(128);
        for (size_t i = 0; i < x.size(); ++i) {
          x[i] = static_cast<float>(i % 32 == 0 ? 127 * sign : sign * static_cast<int>(i % 120));
        }
        for (float fine_above : {0.0f, kNoneFine}) {
          std::vector<float> y(16), none(16);
          Int8Rows rows(path, w.packed, x.data(), 1, fine_above);
          path.multiply(w.packed, {nullptr, rows.view}, 0, 1, {y.data(), 16, nullptr, nullptr});
          CHECK(worst_error(w, in_float64(x), in_float64(x), 1, none, y) <= 1e-5);
        }
      }
    }
  });
}

TEST(zeros_stay_zero) {
  on_every_path([](const PackedKernels& path) {
    RandomMatrix w = random_matrix(16, 64, {Kind::kAffine4, 32, Scales::kFloat16});
    for (float fine_above : {0.0f, kFineAbove}) {
      std::vector<float> x(64), y(16, 1);
      Int8Rows rows(path, w.packed, x.data(), 1, fine_above);
      path.multiply(w.packed, {nullptr, rows.view}, 0, 1, {y.data(), 16, nullptr, nullptr});
      for (float value : y) CHECK(value == 0);
    }
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
      for (float sign : {1.0f, -1.0f}) {
        std::vector<float> x(256, 127 * sign), y(16);
        Int8Rows rows(path, p, x.data(), 1, 0);
        path.multiply(p, {nullptr, rows.view}, 0, 1, {y.data(), 16, nullptr, nullptr});
        float expected = 256 * 127 * sign * static_cast<float>((1 << p.bits()) - 1 - form.zero);
        for (float value : y) CHECK(value == expected);
      }
    }
  });
}

// The largest 4-bit float is 6, here with a scale of 2.
TEST(int8_sums_of_the_largest_floats_are_exact) {
  on_every_path([](const PackedKernels& path) {
    PackedMatrix p = layout_of(16, 64, {Kind::kFloat4, 32, Scales::kExponents, 12});
    std::vector<uint32_t> words(16 * 64 / 8, 0x77777777);
    std::vector<uint8_t> exponents(16 * 2, 128), bytes;
    PackSource source{words.data()};
    source.byte_scales = exponents.data();
    pack(p, source, aligned(bytes, p.bytes()));
    for (float sign : {1.0f, -1.0f}) {
      std::vector<float> x(64, 127 * sign), y(16);
      Int8Rows rows(path, p, x.data(), 1, 0);
      path.multiply(p, {nullptr, rows.view}, 0, 1, {y.data(), 16, nullptr, nullptr});
      for (float value : y) CHECK(value == 64 * 127 * sign * 12);
    }
  });
}

}  // namespace llm_host::packed_test
