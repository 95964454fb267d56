#include "weights/quantize/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/base/thread_pool.h"
#include "mlx/mlx.h"

namespace llm_host {
namespace mx = mlx::core;
namespace {

// Floats a task.
constexpr int64_t kTaskFloats = 64 * 1024;
// The largest group size.
constexpr int kMaxGroup = 128;
// Adding this rounds a small float to the nearest integer, ties to even, and leaves it in the low
// bits of the sum. Unlike std::rint it is one instruction on every CPU, and vectorizes.
constexpr float kRounder = 12582912.0f;

int nearest(float small) {
  return static_cast<int>(std::bit_cast<uint32_t>(small + kRounder) & 0x3fffff);
}

void to_floats(FloatType type, const void* source, int64_t begin, int count, float* out) {
  switch (type) {
    case FloatType::kF32:
      std::memcpy(out, static_cast<const float*>(source) + begin, sizeof(float) * count);
      break;
    case FloatType::kBF16: {
      const uint16_t* values = static_cast<const uint16_t*>(source) + begin;
      for (int i = 0; i < count; ++i) out[i] = std::bit_cast<float>(uint32_t{values[i]} << 16);
      break;
    }
    case FloatType::kF16: {
      const auto* values = static_cast<const mlx::core::float16_t*>(source) + begin;
      for (int i = 0; i < count; ++i) out[i] = static_cast<float>(values[i]);
      break;
    }
  }
}

float rounded_to(FloatType type, float value) {
  if (type == FloatType::kBF16) return static_cast<float>(mlx::core::bfloat16_t(value));
  if (type == FloatType::kF16) return static_cast<float>(mlx::core::float16_t(value));
  return value;
}

// Codes in a row, the lowest bits first: eight of them take `bits` bytes.
void pack(const uint8_t* codes, int count, int bits, uint8_t* out) {
  for (int i = 0; i < count; i += 8, out += bits) {
    uint64_t packed = 0;
    for (int k = 0; k < 8; ++k) packed |= uint64_t{codes[i + k]} << (k * bits);
    std::memcpy(out, &packed, static_cast<size_t>(bits));
  }
}

// w ≈ scale · code + bias. 0 and the end of the range farther from it are exact.
void affine_codes(const float* w, int n, int bits, uint8_t* codes, float* scale, float* bias) {
  float levels = static_cast<float>((1 << bits) - 1);
  float low = *std::min_element(w, w + n), high = *std::max_element(w, w + n);
  bool from_low = std::abs(low) > std::abs(high);
  float step = std::max((high - low) / levels, 1e-7f);
  float edge = from_low ? low : high;
  *scale = from_low ? step : -step;
  *bias = 0;
  float code_of_zero = std::rint(edge / *scale);
  if (code_of_zero != 0) {
    *scale = edge / code_of_zero;
    *bias = edge;
  }
  float s = *scale, b = *bias;
  for (int i = 0; i < n; ++i) {
    float code = std::min(std::max((w[i] - b) / s, 0.0f), levels);
    codes[i] = static_cast<uint8_t>(nearest(code));
  }
}

mx::Dtype dtype_of(FloatType type) {
  if (type == FloatType::kF32) return mx::float32;
  return type == FloatType::kF16 ? mx::float16 : mx::bfloat16;
}

// By MLX itself, on one thread: results must equal its own to the bit.
void quantize_float_mode(const Quantization& q, FloatType type, const void* source, int64_t rows,
                         int cols, const QuantizedRows& out) {
  mx::Dtype dtype = dtype_of(type);
  mx::Shape shape{static_cast<int>(rows), cols};
  mx::array w(mx::allocator::malloc(static_cast<size_t>(rows) * cols * mx::size_of(dtype)), shape,
              dtype);
  std::memcpy(w.data<uint8_t>(), source, w.nbytes());
  std::vector<mx::array> parts = mx::quantize(w, q.group_size, q.bits, q.mode);
  mx::eval(parts);
  std::memcpy(out.words, parts[0].data<uint8_t>(), parts[0].nbytes());
  std::memcpy(out.byte_scales, parts[1].data<uint8_t>(), parts[1].nbytes());
}

}  // namespace

void quantize_rows(const Quantization& q, FloatType type, const void* source, int64_t rows,
                   int cols, const QuantizedRows& out) {
  if (q.mode != "affine") return quantize_float_mode(q, type, source, rows, cols, out);
  int64_t groups = rows * (cols / q.group_size);
  int64_t chunk = kTaskFloats / q.group_size;
  int chunks = static_cast<int>((groups + chunk - 1) / chunk);
  int bytes = q.group_size * q.bits / 8;
  parallel_for(chunks, [&](int i) {
    float w[kMaxGroup] = {};
    uint8_t codes[kMaxGroup] = {};
    for (int64_t g = i * chunk; g < std::min(groups, (i + 1) * chunk); ++g) {
      to_floats(type, source, g * q.group_size, q.group_size, w);
      float scale, bias;
      affine_codes(w, q.group_size, q.bits, codes, &scale, &bias);
      out.scales[g] = rounded_to(type, scale);
      out.biases[g] = rounded_to(type, bias);
      pack(codes, q.group_size, q.bits, out.words + g * bytes);
    }
  });
}

}  // namespace llm_host
