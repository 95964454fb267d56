#include "weights/quantise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/thread_pool.h"
#include "mlx/types/half_types.h"

namespace llm_host {
namespace {

// Floats that a thread takes at a time.
constexpr int64_t kChunk = 64 * 1024;
// The greatest group.
constexpr int kMaxGroup = 128;
// Adding this rounds a small float to the nearest integer, ties to even, and leaves it in the low
// bits of the sum; unlike std::rint it is one instruction on every CPU, and vector code.
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
      const uint16_t* halves = static_cast<const uint16_t*>(source) + begin;
      for (int i = 0; i < count; ++i) out[i] = std::bit_cast<float>(uint32_t{halves[i]} << 16);
      break;
    }
    case FloatType::kF16: {
      const auto* halves = static_cast<const mlx::core::float16_t*>(source) + begin;
      for (int i = 0; i < count; ++i) out[i] = static_cast<float>(halves[i]);
      break;
    }
  }
}

float rounded_to(FloatType type, float value) {
  if (type == FloatType::kBF16) return static_cast<float>(mlx::core::bfloat16_t(value));
  if (type == FloatType::kF16) return static_cast<float>(mlx::core::float16_t(value));
  return value;
}

// A stream of codes, the lowest bits first: eight codes are `bits` bytes.
void pack(const uint8_t* codes, int count, int bits, uint8_t* out) {
  for (int i = 0; i < count; i += 8, out += bits) {
    uint64_t packed = 0;
    for (int k = 0; k < 8; ++k) packed |= uint64_t{codes[i + k]} << (k * bits);
    std::memcpy(out, &packed, static_cast<size_t>(bits));
  }
}

// w ≈ scale · code + bias. The end of the range that is farther from 0 is hit exactly, and 0 too.
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

// The nearest of 0, 0.5, 1, 1.5, 2, 3, 4, 6, ties to even codes; bit 3 is the sign.
uint8_t to_e2m1(float x) {
  float size = std::abs(x);
  int code = (size > 0.25f) + (size >= 0.75f) + (size > 1.25f) + (size >= 1.75f) + (size > 2.5f) +
             (size >= 3.5f) + (size > 5.0f);
  return static_cast<uint8_t>(code | (std::signbit(x) ? 8 : 0));
}

// The nearest of 1 sign, 4 exponent and 3 mantissa bits, at most 448, ties to even.
uint8_t to_e4m3(float x) {
  uint8_t sign = std::signbit(x) ? 0x80 : 0;
  float size = std::abs(x);
  if (!(size < 448.0f)) return sign | 0x7e;
  if (size < 0x1p-6f) return sign | static_cast<uint8_t>(nearest(size * 512.0f));
  uint32_t bits = std::bit_cast<uint32_t>(size);
  bits += 0x7ffff + (bits >> 20 & 1);
  return sign | static_cast<uint8_t>((bits >> 20) - (120u << 3));
}

float from_e4m3(uint8_t code) {
  int exponent = code >> 3 & 15, mantissa = code & 7;
  float size = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -9)
                             : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  return code & 0x80 ? -size : size;
}

uint8_t float_codes(const float* w, int n, const Quantization& q, uint8_t* codes) {
  float greatest = 0;
  for (int i = 0; i < n; ++i) greatest = std::max(greatest, std::abs(w[i]));
  float scale = greatest / (q.bits == 4 ? 6.0f : 448.0f);
  uint8_t stored;
  if (q.mode == "nvfp4") {
    stored = to_e4m3(scale);
    scale = from_e4m3(stored);
  } else {
    int exponent = greatest == 0 ? 0 : static_cast<int>(std::ceil(std::log2(scale)));
    exponent = std::clamp(exponent, -127, 127);
    stored = static_cast<uint8_t>(exponent + 127);
    scale = std::ldexp(1.0f, exponent);
  }
  for (int i = 0; i < n; ++i) {
    float value = scale == 0 ? 0 : w[i] / scale;
    codes[i] = q.bits == 4 ? to_e2m1(value) : to_e4m3(value);
  }
  return stored;
}

}  // namespace

void quantise_rows(const Quantization& q, FloatType type, const void* source, int64_t rows,
                   int cols, const PackedRows& out) {
  int64_t groups = rows * (cols / q.group_size);
  int64_t chunk = kChunk / q.group_size;
  int chunks = static_cast<int>((groups + chunk - 1) / chunk);
  int bytes = q.group_size * q.bits / 8;
  bool affine = q.mode == "affine";
  parallel_for(chunks, [&](int i) {
    float w[kMaxGroup];
    uint8_t codes[kMaxGroup];
    for (int64_t g = i * chunk; g < std::min(groups, (i + 1) * chunk); ++g) {
      to_floats(type, source, g * q.group_size, q.group_size, w);
      if (affine) {
        float scale, bias;
        affine_codes(w, q.group_size, q.bits, codes, &scale, &bias);
        out.scales[g] = rounded_to(type, scale);
        out.biases[g] = rounded_to(type, bias);
      } else {
        out.byte_scales[g] = float_codes(w, q.group_size, q, codes);
      }
      pack(codes, q.group_size, q.bits, out.words + g * bytes);
    }
  });
}

}  // namespace llm_host
