#pragma once

#include <optional>

#include "mlx/mlx.h"

// What convolutions and state-space layers compute on the CPU; see kernels/ops.h.
namespace llm_host::cpu {

namespace mx = mlx::core;

// Depthwise: y[t, c] = bias[c] + Σ_k weight[k, c] · x[t + k, c].
// x [1, L + K − 1, C], weight [K, C], bias [C] -> [1, L, C].
mx::array depthwise_conv(const mx::array& x, const mx::array& weight,
                         const std::optional<mx::array>& bias);

struct SsmShape {
  int heads;
  int head_dim;
  int groups;
  int state;
};

// Mamba-2's recurrence, step by step: S = exp(dt · A) · S + dt · x ⊗ B, y = S C + D · x; head h
// takes B and C of group h / (heads / groups).
// xbc [1, L, heads · head_dim + 2 · groups · state], dt [1, L, heads], a = A and d = D [heads],
// states [1, heads, head_dim, state] -> y [1, L, heads · head_dim] and the states after it.
std::pair<mx::array, mx::array> ssm_scan(const mx::array& xbc, const mx::array& dt,
                                         const mx::array& a, const mx::array& d,
                                         const mx::array& states, const SsmShape& shape);

}  // namespace llm_host::cpu
