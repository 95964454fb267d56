#pragma once

#include <optional>

#include "kernels/base/cpu_op.h"
#include "mlx/mlx.h"

// The operations of a decoder on the CPU: all cores, SIMD, exact float32. MLX's own CPU backend is
// one scalar thread. Every array is float32 and row-contiguous unless said otherwise.
namespace llm_host::cpu {

namespace mx = mlx::core;

struct Weight {
  const mx::array& weight;
  const std::optional<mx::array>& scales;
  const std::optional<mx::array>& biases;
  int group_size;
  int bits;
  const std::optional<mx::array>& down;  // [rank, in]: an adapter's, or nothing
  const std::optional<mx::array>& up;    // [rank, out]
};

// False for a weight that `linear` has no kernel for.
bool supports(const Weight& weight);
// x [..., in] -> [..., out]
mx::array linear(const mx::array& x, const Weight& weight);
mx::array rms_norm(const mx::array& x, const mx::array& weight, float eps);
// silu(gate) · up
mx::array swiglu(const mx::array& gate, const mx::array& up);
// gelu(gate) · up, by the tanh formula
mx::array geglu(const mx::array& gate, const mx::array& up);

}  // namespace llm_host::cpu
