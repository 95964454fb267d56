#pragma once

#include <optional>
#include <string>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// A dense matrix, or one in MLX's quantized form: groups along a row, the lowest bits of a word
// first. Or a stack of them, one per expert, with a leading dimension.
struct Matrix {
  mx::array weight;                 // [.., out, in], or [.., out, in · bits / 32] uint32
  std::optional<mx::array> scales;  // [.., out, in / group_size]; uint8 in modes other than affine
  std::optional<mx::array> biases;  // mode affine only: w = scales · q + biases
  int group_size = 0;
  int bits = 0;  // 0: dense
  std::string mode = "affine";
  mx::Dtype dtype = mx::float32;  // of the activations that it multiplies

  bool quantized() const { return scales.has_value(); }
  // Rows begin, begin + step, ... before `end` of each matrix: one half of a fused projection.
  Matrix rows(int begin, int end, int step = 1) const;
  // x [.., in] -> [.., out], by MLX.
  mx::array multiply(const mx::array& x) const;
  // Rows by id, ids [...] -> [..., in] of type `dtype`; a single matrix only.
  mx::array take(const mx::array& ids) const;
  // The weights as a dense array of type `dtype`.
  mx::array dequantize() const;
};

}  // namespace llm_host
