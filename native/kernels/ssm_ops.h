#pragma once

#include <optional>

#include "mlx/mlx.h"

// Causal convolutions and state-space layers on the CPU; see kernels/ops.h.
namespace llm_host::cpu {

namespace mx = mlx::core;

// Depthwise convolution: y[t, c] = bias[c] + Σ_k weight[k, c] · x[t + k, c]; with `silu`, silu(y).
// x [1, L + K − 1, C], weight [K, C], bias [C] -> [1, L, C].
mx::array depthwise_conv(const mx::array& x, const mx::array& weight,
                         const std::optional<mx::array>& bias, bool silu = false);

struct SsmShape {
  int heads;
  int head_dim;
  int groups;  // of heads that share B and C
  int state;   // values of a channel's state
};

// Mamba-2's recurrence (Dao and Gu 2024, arXiv:2405.21060), step by step:
// S = exp(dt · A) · S + dt · x ⊗ B, y = S C + D · x. Head h uses B and C of group
// h / (heads / groups).
// xbc [1, L, heads · head_dim + 2 · groups · state], dt [1, L, heads], a = A and d = D [heads],
// states [1, heads, head_dim, state] -> y [1, L, heads · head_dim] and the new states.
std::pair<mx::array, mx::array> ssm_scan(const mx::array& xbc, const mx::array& dt,
                                         const mx::array& a, const mx::array& d,
                                         const mx::array& states, const SsmShape& shape);

}  // namespace llm_host::cpu
