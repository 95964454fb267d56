#pragma once

#include <optional>

#include "kernels/ops.h"

// What a mixture of experts computes on the CPU; see kernels/ops.h.
namespace llm_host::cpu {

// Between an expert's two matrices, on the halves `gate` and `up` of what the first one gives.
struct ExpertActivation {
  // 0: silu(gate) · up. Else min(gate, limit) · sigmoid(alpha · gate) · (clip(up, ±limit) + 1).
  float limit = 0;
  float alpha = 0;
};

// One matrix of every expert: [experts, rows, cols] as Weight's, and a bias [experts, rows].
struct ExpertWeight {
  const mx::array& weight;
  const std::optional<mx::array>& scales;
  const std::optional<mx::array>& biases;
  const std::optional<mx::array>& bias;
  int group_size;
  int bits;
};

// False for weights that `experts` has no kernel for.
bool supports(const ExpertWeight& weight);
// Reads only the experts that some token goes to, each once.
// x [..., H], ids [..., k] uint32, shares [..., k], gate_up [E, 2I, H] (gate's rows first), down
// [E, H, I] -> Σ_k share · down(act(gate_up(x))), [..., H].
mx::array experts(const mx::array& x, const mx::array& ids, const mx::array& shares,
                  const ExpertWeight& gate_up, const ExpertWeight& down,
                  ExpertActivation activation);

}  // namespace llm_host::cpu
