#pragma once

#include <utility>

#include "mlx/mlx.h"

// The gated delta rule on the CPU; see kernels/ops.h.
namespace llm_host::cpu {

namespace mx = mlx::core;

struct DeltaShape {
  int key_heads;
  int value_heads;  // head h uses the queries and keys of head h / (value_heads / key_heads)
  int key_dim;
  int value_dim;
  bool tiled = false;  // of head h % key_heads instead
};

// Gated DeltaNet's recurrence (Yang et al. 2024, arXiv:2412.06464), step by step:
// S = decay · S, S = S + β · (v - S k) ⊗ k, y = S q / √key_dim, where q and k have length 1.
// qkv [1, L, 2 · key_heads · key_dim + value_heads · value_dim], decay and β [1, L, value_heads],
// states [1, value_heads, value_dim, key_dim] -> y [1, L, value_heads · value_dim], new states.
std::pair<mx::array, mx::array> delta_scan(const mx::array& qkv, const mx::array& decay,
                                           const mx::array& beta, const mx::array& states,
                                           const DeltaShape& shape);

}  // namespace llm_host::cpu
