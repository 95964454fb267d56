#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "check.h"
#include "kernels/base/float16.h"
#include "kernels/packed/form/matrix.h"
#include "kernels/packed/form/unit.h"

// Random packed matrices of every form, with their float64 reference.
namespace llm_host {

using Kind = PackedMatrix::Kind;
using Scales = PackedMatrix::Scales;

inline float random_float(float scale = 1) {
  static std::mt19937 random_bits(7);
  return std::normal_distribution<float>(0, scale)(random_bits);
}
inline uint32_t random_word() {
  static std::mt19937 random_bits(17);
  return static_cast<uint32_t>(random_bits());
}

inline uint16_t bfloat16_of(float value) {
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
}

// A random packed matrix and its weights in float64.
struct RandomMatrix {
  PackedMatrix packed;
  std::vector<uint8_t> bytes;
  std::vector<double> exact;
  std::vector<double> offsets;  // [rows, cols]: the bias of each weight's group
};

inline float rounded(Scales type, float value) {
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
  bool units = false;  // packed unit by unit, as ggml's blocks; always with kSymmetric and later

  // Columns that a matrix has a multiple of.
  int unit() const { return group == 0 ? 2 : group * PackedMatrix::unit_groups(scales); }
};

inline PackedMatrix layout_of(int rows, int cols, const Form& form) {
  PackedMatrix p;
  p.rows = rows;
  p.cols = cols;
  p.kind = form.kind;
  p.group_size = p.quantized() ? form.group : cols;
  p.scales = form.scales;
  p.zero = form.zero;
  return p;
}

inline uint8_t* aligned(std::vector<uint8_t>& bytes, int64_t size) {
  bytes.assign(static_cast<size_t>(size) + 128, 0);
  return bytes.data() + (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64) % 64;
}

inline void fill_dense(RandomMatrix& m) {
  PackedMatrix& p = m.packed;
  std::vector<uint16_t> values(static_cast<size_t>(p.rows) * p.cols);
  bool bfloat16 = p.kind == Kind::kBfloat16;
  for (uint16_t& value : values) {
    float drawn = random_float();
    value = bfloat16 ? bfloat16_of(drawn) : float_to_float16(drawn);
    m.exact.push_back(bfloat16 ? bfloat16_to_float(value) : float16_to_float(value));
  }
  m.offsets.resize(values.size());
  pack(p, {values.data()}, aligned(m.bytes, p.bytes()));
}

// Random codes as MLX stores them, one after another from the lowest bit on.
struct StoredCodes {
  std::vector<uint32_t> words;
  size_t bits;

  StoredCodes(size_t count, int bits_each) : words(count * bits_each / 32), bits(bits_each) {
    for (uint32_t& word : words) word = random_word();
  }
  uint32_t operator[](size_t i) const {
    uint32_t code = 0;
    for (size_t b = 0; b < bits; ++b) {
      size_t at = i * bits + b;
      code |= (words[at / 32] >> (at % 32) & 1) << b;
    }
    return code;
  }
};

// Affine, as MLX stores it.
inline void fill_affine(RandomMatrix& m) {
  PackedMatrix& p = m.packed;
  size_t count = static_cast<size_t>(p.rows) * p.cols, group = static_cast<size_t>(p.group_size);
  StoredCodes codes(count, p.bits());
  std::vector<float> scales, biases;
  for (size_t i = 0; i < count / group; ++i) {
    scales.push_back(rounded(p.scales, random_float(0.1f)));
    biases.push_back(rounded(p.scales, random_float(0.1f)));
  }
  for (size_t i = 0; i < count; ++i) {
    m.exact.push_back(static_cast<double>(scales[i / group]) * codes[i] + biases[i / group]);
    m.offsets.push_back(biases[i / group]);
  }
  CHECK(smallest_scales(scales.data(), biases.data(), static_cast<int64_t>(biases.size())) ==
        p.scales);
  pack(p, {codes.words.data(), scales.data(), biases.data()}, aligned(m.bytes, p.bytes()));
}

// A sign, `exponent_bits` of exponent, and the rest of the bits of the mantissa.
inline double small_float(uint32_t code, int exponent_bits, int mantissa_bits, int bias) {
  uint32_t mantissa = code & ((1u << mantissa_bits) - 1);
  int exponent = static_cast<int>(code >> mantissa_bits & ((1u << exponent_bits) - 1));
  double fraction = static_cast<double>(mantissa) / (1 << mantissa_bits);
  double value =
      exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  return code >> (exponent_bits + mantissa_bits) & 1 ? -value : value;
}

// mxfp4 and nvfp4, as MLX stores them.
inline void fill_float4(RandomMatrix& m) {
  PackedMatrix& p = m.packed;
  size_t count = static_cast<size_t>(p.rows) * p.cols, group = static_cast<size_t>(p.group_size);
  StoredCodes codes(count, 4);
  bool exponents = p.scales == Scales::kExponents;
  std::vector<uint8_t> bytes(count / group);
  for (uint8_t& byte : bytes) {
    // Exponents of 2^-6 to 2^1, and down to the smallest there are.
    byte = static_cast<uint8_t>(exponents ? 121 + random_word() % 8 : random_word() % 127);
    if (!exponents && random_word() % 4 == 0) byte |= 128;
  }
  for (size_t i = 0; i < count; ++i) {
    uint8_t byte = bytes[i / group];
    double scale = exponents ? std::ldexp(1, byte - 127) : small_float(byte, 4, 3, 7);
    m.exact.push_back(scale * small_float(codes[i], 2, 1, 1));
    m.offsets.push_back(-6 * scale);
  }
  PackSource source{codes.words.data()};
  source.byte_scales = bytes.data();
  pack(p, source, aligned(m.bytes, p.bytes()));
}

inline double float16_of(uint16_t bits) { return float16_to_float(bits); }

// Unit by unit, as ggml's blocks are packed.
inline void fill_units(RandomMatrix& m) {
  PackedMatrix& p = m.packed;
  uint8_t* target = aligned(m.bytes, p.bytes());
  p.data = target;
  for (int row = 0; row < p.rows; ++row) {
    for (int u = 0; u < p.groups() / p.unit_groups(); ++u) {
      PackedUnit unit;
      unit.scale = float_to_float16(random_float(0.1f));
      unit.bias = float_to_float16(random_float(0.1f));
      for (uint8_t& code : unit.codes) code = random_word() & ((1u << p.bits()) - 1);
      bool six = p.scales == Scales::kSixBits;
      for (uint8_t& scale : unit.scales) scale = random_word() & (six ? 63 : 255);
      for (uint8_t& minimum : unit.minima) minimum = random_word() & 63;
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

inline RandomMatrix random_matrix(int rows, int cols, const Form& form) {
  RandomMatrix m;
  m.packed = layout_of(rows, cols, form);
  if (!m.packed.quantized()) {
    fill_dense(m);
  } else if (form.kind == Kind::kFloat4) {
    fill_float4(m);
  } else {
    form.scales <= Scales::kFloat32 && !form.units ? fill_affine(m) : fill_units(m);
  }
  return m;
}

// The largest error of y [m, rows], relative to the sum of its terms' magnitudes. `rounded_x` is x
// as the kernels round it; the biases are multiplied with x itself.
inline double worst_error(const RandomMatrix& w, const std::vector<double>& x,
                          const std::vector<double>& rounded_x, int m,
                          const std::vector<float>& added, const std::vector<float>& y) {
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

inline void report(const char* path, const Case& c, double error, double limit) {
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

inline std::vector<double> in_float64(const std::vector<float>& x) { return {x.begin(), x.end()}; }

// Every form that there is.
template <typename F>
void for_forms(F&& body) {
  for (Kind kind : {Kind::kAffine2, Kind::kAffine3, Kind::kAffine4, Kind::kAffine5, Kind::kAffine6,
                    Kind::kAffine8}) {
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
  body(Form{Kind::kAffine5, 32, Scales::kFloat16, 0, true});
  body(Form{Kind::kAffine4, 32, Scales::kSixBits});
  body(Form{Kind::kAffine5, 32, Scales::kSixBits});
  body(Form{Kind::kAffine6, 16, Scales::kSignedBytes, 32});
  body(Form{Kind::kFloat4, 32, Scales::kExponents, PackedMatrix::kFloat4Zero});
  body(Form{Kind::kFloat4, 16, Scales::kFloat8, PackedMatrix::kFloat4Zero});
}

}  // namespace llm_host
