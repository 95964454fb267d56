// The kernels, written once over vectors of LLM_HOST_VECTOR_BYTES. Included by one source per
// instruction set, each compiled with its own options. Nothing here may call an inline function of
// a library: the linker keeps one copy for all, which could be the one for a newer CPU.
#include "kernels/simd/float16.h"
#include "kernels/simd/gemm.h"
#include "kernels/simd/gemv.h"

namespace llm_host {
namespace {

// e^x = 2^n · e^r with |r| <= ln 2 / 2 and Cephes' polynomial for e^r (expf.c). The relative error
// is below 2e-7 where the result is a normal float.
inline Floats exponential(Floats x) {
  const Floats low = splat(-87.0f), high = splat(88.0f);
  x = x < low ? low : x;
  x = x > high ? high : x;
  // 1.5 · 2^23: adding it leaves the nearest integer in the low bits of the mantissa.
  const float round = 12582912.0f;
  Floats shifted = x * 1.44269504f + round;
  Ints n = (Ints)shifted - (Ints)splat(round);
  Floats whole = shifted - round;
  Floats r = x - whole * 0.693359375f - whole * -2.12194440e-4f;
  Floats y = splat(1.9875691500e-4f);
  y = y * r + 1.3981999507e-3f;
  y = y * r + 8.3334519073e-3f;
  y = y * r + 4.1665795894e-2f;
  y = y * r + 1.6666665459e-1f;
  y = y * r + 5.0000001201e-1f;
  y = y * r * r + r + 1.0f;
  return y * (Floats)((n + 127) << 23);
}

float exponentials(float* s, int n, float scale, float maximum) {
  Floats totals{};
  float total = 0;
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Floats e = exponential((load(s + i) - maximum) * scale);
    store(s + i, e);
    totals += e;
  }
  for (; i < n; ++i) total += s[i] = __builtin_expf((s[i] - maximum) * scale);
  return total + sum(totals);
}

float maximum(const float* s, int n) {
  float top = s[0];
  int i = 0;
  if (n >= kLanes) {
    Floats tops = load(s);
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      Floats v = load(s + i);
      tops = v > tops ? v : tops;
    }
    for (int lane = 0; lane < kLanes; ++lane) top = tops[lane] > top ? tops[lane] : top;
  }
  for (; i < n; ++i) top = s[i] > top ? s[i] : top;
  return top;
}

void blend(float a, float* out, float b, const float* x, int n) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(out + i, multiply_add(splat(b), load(x + i), splat(a) * load(out + i)));
  }
  for (; i < n; ++i) out[i] = multiply_add(b, x[i], a * out[i]);
}

void swiglu(const float* gate, const float* up, int n, float* out) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Floats g = load(gate + i);
    store(out + i, g / (exponential(-g) + 1.0f) * load(up + i));
  }
  for (; i < n; ++i) out[i] = gate[i] / (1 + __builtin_expf(-gate[i])) * up[i];
}

// Tanh approximation of gelu (Hendrycks and Gimpel 2016, arXiv:1606.08415):
// gelu(x) = x · (1 + tanh(u)) / 2 = x · sigmoid(2u), u = √(2/π) · (x + 0.044715 x³)
void geglu(const float* gate, const float* up, int n, float* out) {
  const float linear = 1.5957691216f, cubic = 1.5957691216f * 0.044715f;
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Floats g = load(gate + i);
    store(out + i, g / (exponential(-g * (g * g * cubic + linear)) + 1.0f) * load(up + i));
  }
  for (; i < n; ++i) {
    float g = gate[i];
    out[i] = g / (1 + __builtin_expf(-g * (g * g * cubic + linear))) * up[i];
  }
}

// Φ(-|x|), where Φ(z) = (1 + erf(z / √2)) / 2 by Abramowitz and Stegun 7.1.26: the error of erf is
// below 1.5e-7.
inline Floats lower_tail(Floats x) {
  Floats magnitude = x < 0.0f ? -x : x;
  Floats t = splat(1.0f) / (magnitude * (0.3275911f * 0.70710678f) + 1.0f);
  Floats y = splat(1.061405429f);
  y = y * t - 1.453152027f;
  y = y * t + 1.421413741f;
  y = y * t - 0.284496736f;
  y = y * t + 0.254829592f;
  return y * t * exponential(x * x * -0.5f) * 0.5f;
}

void gelu(const float* x, int n, float* out) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Floats v = load(x + i), tail = v * lower_tail(v);
    store(out + i, v < 0.0f ? tail : v - tail);
  }
  for (; i < n; ++i) out[i] = 0.5f * x[i] * (1 + __builtin_erff(x[i] * 0.70710678f));
}

void rms_norm(const float* x, const float* weight, int n, float eps, float* out) {
  float scale = 1 / __builtin_sqrtf(dot(x, x, n) / static_cast<float>(n) + eps);
  for (int i = 0; i < n; ++i) out[i] = x[i] * scale * weight[i];
}

// Sums of x and of (x - mean)².
float total(const float* x, int n) {
  Floats sums{};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) sums += load(x + i);
  float sum_x = sum(sums);
  for (; i < n; ++i) sum_x += x[i];
  return sum_x;
}
float squared_deviation(const float* x, int n, float mean) {
  Floats sums{};
  float rest = 0;
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Floats d = load(x + i) - mean;
    sums = multiply_add(d, d, sums);
  }
  for (; i < n; ++i) rest = multiply_add(x[i] - mean, x[i] - mean, rest);
  return sum(sums) + rest;
}

void layer_norm(const float* x, const float* weight, const float* bias, int n, float eps,
                float* out) {
  float mean = total(x, n) / static_cast<float>(n);
  float scale = 1 / __builtin_sqrtf(squared_deviation(x, n, mean) / static_cast<float>(n) + eps);
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(out + i, multiply_add((load(x + i) - mean) * scale, load(weight + i), load(bias + i)));
  }
  for (; i < n; ++i) out[i] = multiply_add((x[i] - mean) * scale, weight[i], bias[i]);
}

constexpr Simd kernels_of(const char* name) {
  return {name,
          shuffled_size,
          shuffle,
          gemv,
          unpack,
          dots<float>,
          dots<uint16_t>,
          weighted_sum<float>,
          weighted_sum<uint16_t>,
          exponentials,
          swiglu,
          geglu,
          gelu,
          rms_norm,
          layer_norm,
          maximum,
          blend,
          widen,
          narrow};
}

}  // namespace
}  // namespace llm_host
