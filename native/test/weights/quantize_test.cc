#include "weights/quantize/quantize.h"

#include "check.h"
#include "mlx/mlx.h"

namespace llm_host::quantize_test {

static const check::Suite suite("quantize", [] { mx::set_default_device(mx::Device::cpu); });
namespace mx = mlx::core;

namespace {

constexpr int kRows = 6, kCols = 256;

// Ordinary values, a group of zeros, equal values, one sign only, and values far apart.
mx::array weights(mx::Dtype type) {
  mx::array w = mx::random::normal({kRows, kCols}, mx::float32, 0, 1, mx::random::key(3));
  w.eval();
  float* data = w.data<float>();
  for (int i = 0; i < kCols; ++i) {
    data[i] = i < 128 ? 0 : 0.375f;
    data[kCols + i] = std::abs(data[kCols + i]) + 1;
    data[2 * kCols + i] *= i % 7 == 0 ? 3000 : 1e-3f;
  }
  w = mx::contiguous(mx::astype(w, type));
  w.eval();
  return w;
}

FloatType kind_of(mx::Dtype type) {
  if (type == mx::float32) return FloatType::kF32;
  return type == mx::float16 ? FloatType::kF16 : FloatType::kBF16;
}

// Compares words and scales with MLX's own, whose CPU code is one thread.
void check_form(const Quantization& q, mx::Dtype type) {
  mx::array w = weights(type);
  std::vector<mx::array> expected = mx::quantize(w, q.group_size, q.bits, q.mode);
  mx::eval(expected);
  int groups = kRows * kCols / q.group_size;
  std::vector<uint8_t> words(static_cast<size_t>(kRows) * kCols * q.bits / 8);
  std::vector<float> scales(groups), biases(groups);
  std::vector<uint8_t> byte_scales(groups);
  quantize_rows(q, kind_of(type), w.data<uint8_t>(), kRows, kCols,
                {words.data(), scales.data(), biases.data(), byte_scales.data()});
  const uint8_t* expected_words = expected[0].data<uint8_t>();
  for (size_t i = 0; i < words.size(); ++i) CHECK(words[i] == expected_words[i]);
  if (q.mode != "affine") {
    const uint8_t* bytes = expected[1].data<uint8_t>();
    for (int g = 0; g < groups; ++g) CHECK(byte_scales[g] == bytes[g]);
    return;
  }
  mx::array expected_scales = mx::astype(expected[1], mx::float32);
  mx::array expected_biases = mx::astype(expected[2], mx::float32);
  mx::eval(expected_scales, expected_biases);
  for (int g = 0; g < groups; ++g) {
    CHECK(scales[g] == expected_scales.data<float>()[g]);
    CHECK(biases[g] == expected_biases.data<float>()[g]);
  }
}

}  // namespace

TEST(affine_equals_mlx_to_the_bit) {
  for (mx::Dtype type : {mx::float32, mx::float16, mx::bfloat16}) {
    for (int bits : {2, 3, 4, 5, 6, 8}) {
      for (int group : {32, 64, 128}) check_form({group, bits, "affine"}, type);
    }
  }
}

TEST(float_modes_equal_mlx_to_the_bit) {
  for (mx::Dtype type : {mx::float32, mx::float16, mx::bfloat16}) {
    check_form({32, 4, "mxfp4"}, type);
    check_form({16, 4, "nvfp4"}, type);
    check_form({32, 8, "mxfp8"}, type);
  }
}

}  // namespace llm_host::quantize_test
