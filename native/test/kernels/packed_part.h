#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/packed/linear.h"
#include "weights/ggml/ggml.h"

// Random packed matrices with their float64 reference.
namespace llm_host {

namespace mx = mlx::core;

inline mx::array random_array(const mx::Shape& shape, float scale = 1) {
  static std::mt19937 random_bits(11);
  return mx::random::normal(shape, mx::float32, 0, scale, mx::random::key(random_bits()));
}

inline std::vector<double> doubles(const mx::array& array) {
  mx::array values = mx::contiguous(mx::astype(array, mx::float32));
  values.eval();
  return {values.data<float>(), values.data<float>() + values.size()};
}

// A row of x as the int8 activations of a matrix have it, see PackedInt8, but that groups with fine
// bytes are not rounded.
inline std::vector<double> rounded_for(const PackedMatrix& matrix, const std::vector<double>& x,
                                       float fine_above) {
  std::vector<double> rounded;
  auto size = static_cast<size_t>(matrix.group_size);
  double squares = 0;
  for (double value : x) squares += value * value;
  double least = fine_above * std::sqrt(squares / static_cast<double>(x.size()));
  for (size_t begin = 0; begin < x.size(); begin += size) {
    float maximum = 0;
    for (size_t i = begin; i < begin + size; ++i) {
      maximum = std::max(maximum, std::abs(static_cast<float>(x[i])));
    }
    float inverse = maximum > 0 ? 127 / maximum : 0;
    for (size_t i = begin; i < begin + size; ++i) {
      double steps = std::nearbyint(static_cast<float>(x[i]) * inverse);
      rounded.push_back(maximum > least ? x[i] : steps * (maximum / 127));
    }
  }
  return rounded;
}

// How a matrix is stored: affine with scales that `type` represents exactly, dense (0 bits) in
// `type`, in ggml's blocks of `group` weights, or in one of MLX's floating-point modes.
struct Storage {
  int bits, group;
  mx::Dtype type;
  const char* ggml = nullptr;
  const char* mode = nullptr;
};

inline std::vector<Storage> ggml_storages() {
  std::vector<Storage> all;
  for (const char* name : {"Q4_0", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"}) {
    const GgmlType& type = *ggml_type(name);
    all.push_back({type.bits, type.block, mx::float16, name});
  }
  return all;
}

inline std::vector<Storage> storages() {
  std::vector<Storage> all{{0, 0, mx::bfloat16}, {0, 0, mx::float16}};
  for (int bits : {4, 8}) {
    for (int group : {32, 64, 128}) {
      for (mx::Dtype type : {mx::bfloat16, mx::float16, mx::float32}) {
        all.push_back({bits, group, type});
      }
    }
  }
  for (int bits : {2, 3, 5, 6}) all.push_back({bits, 64, mx::bfloat16});
  for (const Storage& storage : ggml_storages()) all.push_back(storage);
  all.push_back({4, 32, mx::float32, nullptr, "mxfp4"});
  all.push_back({4, 16, mx::float32, nullptr, "nvfp4"});
  return all;
}

// A packed matrix with its bias and adapter, and the same in float64.
class RandomPart {
 public:
  RandomPart(WeightArena& arena, int rows, int cols, const Storage& storage, bool biased, int rank)
      : rows_(rows), rank_(rank), packed_(pack(arena, rows, cols, storage)) {
    if (biased) bias_ = random_array({rows});
    if (rank > 0) {
      auto type_if = [](bool half) { return half ? mx::float16 : mx::float32; };
      down_ = mx::astype(random_array({rank, cols}, 0.1f), type_if(rank % 2 == 1));
      up_ = mx::astype(random_array({rank, rows}, 0.1f), type_if(rank % 3 == 1));
      mx::eval(*down_, *up_);
    }
  }

  cpu::PackedPart view() const { return {packed_, bias_, down_, up_}; }
  const cpu::Packed& packed() const { return packed_; }
  const std::vector<double>& weight() const { return weight_; }
  int rows() const { return rows_; }

  // Appends to `y` the products with one row of x, and to `sizes` the sums of their terms'
  // magnitudes. `fine_above`: of int8 activations, if they are used.
  void multiply(const std::vector<double>& x, std::optional<float> fine_above,
                std::vector<double>& y, std::vector<double>& sizes) const {
    const PackedMatrix& layout = packed_.layout();
    bool rounds = fine_above && layout.quantized();
    std::vector<double> factors = rounds ? rounded_for(layout, x, *fine_above) : x;
    std::vector<double> low(static_cast<size_t>(rank_)), bias(static_cast<size_t>(rows_)), down, up;
    if (bias_) bias = doubles(*bias_);
    if (rank_ > 0) down = doubles(*down_), up = doubles(*up_);
    for (size_t i = 0; i < down.size(); ++i) low[i / x.size()] += down[i] * x[i % x.size()];
    for (size_t r = 0; r < bias.size(); ++r) {
      double sum = bias[r], size = std::abs(sum);
      for (size_t c = 0; c < x.size(); ++c) {
        double weight = weight_[r * x.size() + c];
        sum += weight * factors[c];
        size += std::abs(weight * x[c]);
      }
      for (size_t k = 0; k < low.size(); ++k) sum += low[k] * up[k * bias.size() + r];
      y.push_back(sum);
      sizes.push_back(size);
    }
  }

 private:
  cpu::Packed pack_blocks(WeightArena& arena, int rows, int cols, const Storage& storage) {
    static std::mt19937 random_bits(13);
    const GgmlType& type = *ggml_type(storage.ggml);
    cpu::Packed packed = cpu::Packed::reserve(arena, packed_layout(type, rows, cols));
    std::fill_n(packed.memory(), packed.layout().bytes(), uint8_t{0});
    std::vector<uint8_t> blocks(static_cast<size_t>(cols / type.block) * type.block_bytes);
    std::vector<float> row(static_cast<size_t>(cols));
    for (int r = 0; r < rows; ++r) {
      for (uint8_t& byte : blocks) byte = static_cast<uint8_t>(random_bits());
      for (size_t at = 0; at < blocks.size(); at += type.block_bytes) {
        // Scales of ordinary size, where some type has a float16.
        for (int offset : {0, 2, 208}) {
          if (offset + 1 >= type.block_bytes) continue;
          uint8_t& high = blocks[at + offset + 1];
          high = static_cast<uint8_t>((high & 0x83) | 0x20);
        }
      }
      pack_ggml_row(type, blocks.data(), packed.layout(), r, packed.memory());
      unpack_row(packed.layout(), r, row.data());
      weight_.insert(weight_.end(), row.begin(), row.end());
    }
    return packed;
  }

  cpu::Packed pack_mode(WeightArena& arena, int rows, int cols, const Storage& storage) {
    mx::array dense = random_array({rows, cols}, 0.1f);
    std::vector<mx::array> parts = mx::quantize(dense, storage.group, storage.bits, storage.mode);
    mx::eval(parts);
    weight_ = doubles(mx::dequantize(parts[0], parts[1], std::nullopt, storage.group, storage.bits,
                                     storage.mode, std::nullopt, mx::float32));
    return *cpu::Packed::pack(arena, parts[0], parts[1], std::nullopt, storage.group, storage.bits);
  }

  cpu::Packed pack(WeightArena& arena, int rows, int cols, const Storage& storage) {
    if (storage.ggml != nullptr) return pack_blocks(arena, rows, cols, storage);
    if (storage.mode != nullptr) return pack_mode(arena, rows, cols, storage);
    mx::array dense = random_array({rows, cols}, 0.1f);
    std::optional<mx::array> scales, biases;
    mx::array weight = mx::astype(dense, storage.type);
    if (storage.bits != 0) {
      auto rounded = [&](const mx::array& values) {
        return mx::astype(mx::astype(values, storage.type), mx::float32);
      };
      std::vector<mx::array> parts = mx::quantize(dense, storage.group, storage.bits);
      weight = parts[0];
      scales = rounded(parts[1]);
      biases = rounded(parts[2]);
      mx::eval(*scales, *biases);
      dense = mx::dequantize(weight, scales.value(), biases, storage.group, storage.bits);
    }
    weight.eval();
    weight_ = doubles(storage.bits == 0 ? weight : dense);
    auto packed = cpu::Packed::pack(arena, weight, scales, biases, storage.group, storage.bits);
    if (!packed) throw std::logic_error("not packed");
    return *packed;
  }

  int rows_, rank_;
  std::vector<double> weight_;
  std::optional<mx::array> bias_, down_, up_;
  cpu::Packed packed_;
};

}  // namespace llm_host
