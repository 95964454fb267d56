#pragma once

#include "kernels/expert_ops.h"
#include "kernels/packed/linear.h"

namespace llm_host::cpu {

// One matrix of every expert, packed as one: [experts · rows, cols], and a bias [experts, rows].
struct PackedExpertWeight {
  const Packed& matrix;
  const std::optional<mx::array>& bias;
  int rows;  // a multiple of PackedMatrix::kBlockRows
};

// As `experts`, with packed matrices.
mx::array packed_experts(const mx::array& x, const mx::array& ids, const mx::array& routing_weights,
                         const PackedExpertWeight& gate_up, const PackedExpertWeight& down,
                         ExpertActivation activation);

}  // namespace llm_host::cpu
