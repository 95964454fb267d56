#pragma once

#include <optional>

#include "kernels/ops.h"

// Mixture-of-experts layers on the CPU; see kernels/ops.h.
namespace llm_host::cpu {

// The activation between an expert's two matrices; `gate` and `up` are the two halves of the first
// one's output, but for kRelu2.
struct ExpertActivation {
  // kSwiGlu, if above 0: gpt-oss's, with g = min(gate, limit):
  // g · sigmoid(alpha · g) · (clip(up, ±limit) + 1).
  float limit = 0;
  float alpha = 0;
  enum class Kind {
    kSwiGlu,  // silu(gate) · up
    kGeGlu,   // gelu(gate) · up, with the tanh approximation of gelu
    kRelu2,   // relu(x)² of all of it
  };
  Kind kind = Kind::kSwiGlu;

  bool gated() const { return kind != Kind::kRelu2; }
  // Values that it makes of `wide`.
  int width(int wide) const { return gated() ? wide / 2 : wide; }
};

// One matrix of every expert, stacked: [experts, rows, cols], stored as Weight's, and a bias
// [experts, rows].
struct ExpertWeight {
  const mx::array& weight;
  const std::optional<mx::array>& scales;
  const std::optional<mx::array>& biases;
  const std::optional<mx::array>& bias;
  int group_size;
  int bits;
};

// Whether `experts` has a kernel for the weights.
bool supports(const ExpertWeight& weight);
// Reads only the experts that a token is routed to, each once.
// x [..., H], ids [..., k] uint32, routing weights [..., k], gate_up [E, 2I, H] (gate's rows
// first) or up alone [E, I, H], down [E, H, I] -> Σ_k routing weight ·
// down(activation(gate_up(x))), [..., H]. Ids from E on count as 0.
mx::array experts(const mx::array& x, const mx::array& ids, const mx::array& routing_weights,
                  const ExpertWeight& gate_up, const ExpertWeight& down,
                  ExpertActivation activation);

}  // namespace llm_host::cpu
