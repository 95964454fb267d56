#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layers/linear.h"
#include "layers/recurrent/causal_conv.h"

namespace llm_host {

// A Gated DeltaNet mixer (https://arxiv.org/abs/2412.06464): a linear recurrence over time with a
// state [value_heads, value_dim, key_dim] of fixed size in place of keys and values.
class GatedDelta {
 public:
  struct Shape {
    int hidden;
    int key_heads;
    int value_heads;  // a multiple of key_heads
    int key_dim;
    int value_dim;
    int kernel;  // of the convolution
    float eps;
    // Value head h uses the queries and keys of head h % key_heads, as in GGUF files; otherwise
    // those of head h / (value_heads / key_heads).
    bool tiled = false;
  };

  // Reads `path`.{in_proj_qkv, in_proj_z, in_proj_b, in_proj_a}, or Qwen3-Next's in_proj_qkvz and
  // in_proj_ba with each key head's rows together, or in_proj_qkv, in_proj_z and in_proj_ba;
  // conv1d, dt_bias, A_log, norm, out_proj.
  GatedDelta(WeightStore& weights, const std::string& path, const Shape& shape);

  // x [1, L, hidden] -> [1, L, hidden]. State: "conv", and "delta" [1, value_heads, value_dim,
  // key_dim] in float32.
  mx::array operator()(const mx::array& x, StateCache& cache) const;

 private:
  struct Projected {
    mx::array qkv;   // [1, L, channels]
    mx::array z;     // [1, L, values]
    mx::array b, a;  // [1, L, value_heads]
  };
  Projected project(const mx::array& x) const;
  // From Qwen3-Next's two matrices.
  Projected sorted(const mx::array& qkvz, const mx::array& ba) const;
  std::pair<mx::array, mx::array> halves(const mx::array& ba) const;
  // y [1, L, values] of what the convolution gave.
  mx::array scan(const mx::array& qkv, const mx::array& decay, const mx::array& beta,
                 StateCache& cache) const;
  // The scan by MLX's operations.
  mx::array scan_in_graph(const mx::array& qkv, const mx::array& decay, const mx::array& beta,
                          StateCache& cache) const;
  // RMSNorm of each head times silu(z).
  mx::array gated_norm(const mx::array& y, const mx::array& z) const;

  int keys() const { return shape_.key_heads * shape_.key_dim; }
  int values() const { return shape_.value_heads * shape_.value_dim; }
  int channels() const { return 2 * keys() + values(); }

  Shape shape_;
  std::vector<Linear> inputs_;    // in the order above
  std::optional<Linear> joined_;  // of all of them
  CausalConv conv_;
  mx::array dt_bias_, a_;  // [value_heads], float32; a_ = -exp(A_log)
  mx::array norm_;         // [value_dim]
  Linear output_;
};

}  // namespace llm_host
