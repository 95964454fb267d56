#pragma once

#include <optional>
#include <vector>

#include "mlx/mlx.h"

// The operations of a decoder on the CPU: all cores, SIMD, exact float32. MLX's own CPU backend is
// one scalar thread. Every array is float32 and row-contiguous unless said otherwise.
namespace llm_host::cpu {

namespace mx = mlx::core;

// True where these are to be used: MLX's default device is the CPU.
bool usable();
// True where packed matrices (kernels/packed/linear.h) are faster than those below.
bool fast();

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

struct AttentionShape {
  int heads;
  int kv_heads;
  int head_dim;
  int window;         // 0 = none
  int slot;           // of the first query in the caches; those before it are seen too
  int position;       // of the first query, for its rotation
  int outputs;        // queries that are answered, the last ones; the others only give keys
  float scale;        // of query · key
  bool fast = false;  // many queries may be answered in bfloat16, where the CPU has tiles for it
};

// See RopeAngles in layers/rope.h.
struct Rotation {
  const std::vector<float>& frequencies;
  float amplitude;
  bool interleaved;
};

// Rotates q and k, appends k and v to the caches *in place* and attends.
// `projected`: q [1, L, heads · head_dim], k and v [1, L, kv_heads · head_dim], or the three side
// by side in one array; caches [1, kv_heads, capacity, head_dim], float32 or float16, sinks [heads]
// -> [1, outputs, heads · head_dim].
mx::array attention(const std::vector<mx::array>& projected, const mx::array& keys,
                    const mx::array& values, const AttentionShape& shape, const Rotation& rotation,
                    const std::optional<mx::array>& sinks);

}  // namespace llm_host::cpu
