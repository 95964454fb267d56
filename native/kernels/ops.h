#pragma once

#include <optional>

#include "kernels/base/cpu_op.h"
#include "mlx/mlx.h"

// The operations of a decoder on the CPU: on all cores, with SIMD, in float32. MLX's own CPU
// backend is scalar and single-threaded. Arrays are float32 and row-contiguous unless stated
// otherwise.
namespace llm_host::cpu {

namespace mx = mlx::core;

// A weight matrix [out, in] as MLX stores it, with a LoRA adapter if there is one.
struct Weight {
  const mx::array& weight;
  const std::optional<mx::array>& scales;
  const std::optional<mx::array>& biases;
  int group_size;
  int bits;
  const std::optional<mx::array>& down;  // [rank, in]
  const std::optional<mx::array>& up;    // [rank, out]
};

// Whether `linear` has a kernel for the weight.
bool supports(const Weight& weight);
// x [..., in] · Wᵀ (+ x · downᵀ · up) -> [..., out]
mx::array linear(const mx::array& x, const Weight& weight);
// x [..., n], weight [n] -> x · weight / √(mean(x²) + eps)
mx::array rms_norm(const mx::array& x, const mx::array& weight, float eps);
// rms_norm of x minus its mean, plus `bias` [n]
mx::array layer_norm(const mx::array& x, const mx::array& weight,
                     const std::optional<mx::array>& bias, float eps);
// silu(gate) · up
mx::array swiglu(const mx::array& gate, const mx::array& up);
// gelu(gate) · up, with the tanh approximation of gelu
mx::array geglu(const mx::array& gate, const mx::array& up);
// That gelu alone.
mx::array gelu_tanh(const mx::array& x);
// relu(x)²
mx::array relu_squared(const mx::array& x);
// With p = [alpha_p, alpha_n, beta, eps]: alpha_p · x² + beta · x where x is above 0, elsewhere
// alpha_n · (e^min(x, eps) - 1 - x) + beta · x.
mx::array xielu(const mx::array& x, const mx::array& p);

}  // namespace llm_host::cpu
