#pragma once

#include <array>
#include <limits>

#include "layers/linear.h"
#include "layers/recurrent/causal_conv.h"

namespace llm_host {

// A Mamba-2 mixer (https://arxiv.org/abs/2405.21060): a linear recurrence over time with a state
// [heads, head_dim, state] of fixed size in place of keys and values.
class Mamba2 {
 public:
  struct Shape {
    int hidden;
    int heads;
    int head_dim;
    int groups;  // of heads that share B and C
    int state;
    int kernel;  // of the convolution
    bool conv_bias;
    bool bias;  // of the input projection
    bool output_bias;
    float eps;
    // Time steps are clamped to this range.
    float min_step = 0;
    float max_step = std::numeric_limits<float>::infinity();
    // Factors of what is projected for gate, x, B, C and time steps.
    std::array<float, 5> factors = {1, 1, 1, 1, 1};
    bool norm = true;  // before the output projection
  };

  // Reads `path`.{in_proj, conv1d, dt_bias, A_log, D, norm, out_proj}.
  Mamba2(WeightStore& weights, const std::string& path, const Shape& shape);

  // x [1, L, hidden] -> [1, L, hidden]. State: "conv" and "ssm" [1, heads, head_dim, state],
  // float32.
  mx::array operator()(const mx::array& x, StateCache& cache) const;

 private:
  // [inner + conv_channels + heads]
  std::optional<mx::array> factors(mx::Dtype dtype) const;
  // The columns of the input projection for time steps -> time steps [1, L, heads], float32
  mx::array time_steps(const mx::array& columns) const;
  // xbc [1, L, inner + 2 · groups · state], dt [1, L, heads], gate [1, L, inner] -> the scan's
  // output times silu(gate), [1, L, inner]
  mx::array gated_scan(const mx::array& xbc, const mx::array& dt, const mx::array& gate,
                       StateCache& cache) const;
  // The gated scan by MLX's operations.
  mx::array gated_scan_in_graph(const mx::array& xbc, const mx::array& dt, const mx::array& gate,
                                StateCache& cache) const;
  // rms_norm by groups.
  mx::array normed(const mx::array& gated) const;
  int inner() const { return shape_.heads * shape_.head_dim; }
  int conv_channels() const { return inner() + 2 * shape_.groups * shape_.state; }

  Shape shape_;
  Linear input_;
  CausalConv conv_;
  mx::array dt_bias_, a_, d_;         // [heads], float32; a_ = −exp(A_log)
  std::optional<mx::array> norm_;     // [inner]
  std::optional<mx::array> factors_;  // of all columns, unless all are 1
  Linear output_;
};

// The recurrence by MLX's operations, in float32; a block of time steps is computed as an attention
// with decay:
//   S_t = exp(dt_t · a) · S_(t−1) + dt_t · x_t ⊗ B_t,  y_t = S_t C_t.
struct SsmInputs {
  mx::array x;   // [L, heads, head_dim]
  mx::array dt;  // [L, heads]
  mx::array a;   // [heads]
  mx::array b;   // [L, groups, state]
  mx::array c;   // [L, groups, state]
};
struct SsmOutputs {
  mx::array y;       // [L, heads, head_dim]
  mx::array states;  // [heads, head_dim, state]
};
SsmOutputs ssm_blocks(const SsmInputs& inputs, const mx::array& states, int block);
// One step: L = 1.
SsmOutputs ssm_step(const SsmInputs& inputs, const mx::array& states);

}  // namespace llm_host
