#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "check.h"
#include "kernels/packed/sets/panels.h"
#include "kernels/packed/sets/tiles.h"
#include "packed_forms.h"
#include "variants.h"

namespace llm_host::packed_tiles_test {

static const check::Suite suite("packed_tiles");

namespace {

double nearest_bfloat16(double x) {
  uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(x));
  return bfloat16_to_float(static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}

double truncated_to_bfloat16(double x) {
  uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(x * kTruncationScale));
  return bfloat16_to_float(static_cast<uint16_t>(bits >> 16));
}

void check_tiles(const PackedTiles& tiles, const Case& c) {
  RandomMatrix w = random_matrix(c.rows, c.cols, c.form);
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

}  // namespace

TEST(tiles_equal_float64_of_bfloat16) {
  for_each_variant(packed_tiles_variants(), [](const PackedTiles& tiles) {
    for_forms([&](const Form& form) {
      for (int rows : {5, 32, 50}) {
        for (int m : {16, 17, 33, 64}) check_tiles(tiles, {rows, 256, m, form});
      }
    });
  });
}

// The panels that matrix units multiply, on CPUs that can unpack them; few have the units
// themselves.
TEST(panels_equal_the_source) {
  if (!panels_available()) return check::skip("this CPU or build has no avx512");
  for_forms([](const Form& form) {
    if (form.kind == Kind::kBfloat16) return;
    RandomMatrix w = random_matrix(32, 512, form);
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

}  // namespace llm_host::packed_tiles_test
