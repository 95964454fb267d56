#pragma once

#include <span>
#include <vector>

#include "kernels/attention/attention.h"
#include "mlx/mlx.h"

// Operations of text encoders on the CPU, besides those of kernels/ops.h. The tokens of several
// texts are side by side: position t of [1, T, n] is a token of the first text while t is below its
// length, and so on. Arrays are float32 and row-contiguous unless stated otherwise.
namespace llm_host::cpu {

namespace mx = mlx::core;

// A row of `table` [rows, n] for each id [1, T] int32.
struct Lookup {
  const mx::array& ids;
  const mx::array& table;
};
// The sum of the rows -> [1, T, n]. Ids must be in range.
mx::array sum_of_rows(std::span<const Lookup> lookups);

// x [..., n], weight and bias [n] -> (x - mean) · weight / √(variance + eps) + bias
mx::array layer_norm(const mx::array& x, const mx::array& weight, const mx::array& bias, float eps);

// x · Φ(x)
mx::array gelu(const mx::array& x);

struct TextAttentionShape {
  int heads;
  int kv_heads;
  int head_dim;
  float scale;          // of the scores q · k
  bool causal = false;  // a token sees itself and those before it only
  // A token sees itself and window - 1 tokens before it, and unless causal as many behind it; 0 =
  // all.
  int window = 0;
};
// Each token attends to tokens of its own text. `projected`: q [1, T, heads · head_dim], k and v
// [1, T, kv_heads · head_dim], or the three side by side in one array; `lengths`: of the texts, T
// in all. Queries and keys are rotated to their positions in the text
// -> [1, T, heads · head_dim].
mx::array attend_texts(const std::vector<mx::array>& projected, const std::vector<int>& lengths,
                       const TextAttentionShape& shape, const Rotation& rotation);

// The mean of each text's rows: x [1, T, n] -> [texts, n].
mx::array mean_of_texts(const mx::array& x, const std::vector<int>& lengths);

}  // namespace llm_host::cpu
