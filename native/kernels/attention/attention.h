#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mlx/mlx.h"

// Attention over a KV cache on the CPU; see kernels/ops.h.
namespace llm_host::cpu {

namespace mx = mlx::core;

struct AttentionShape {
  int heads;
  int kv_heads;
  int head_dim;
  int window;    // a query sees this many keys at most, its own the last; 0 = all
  int slot;      // of the first query in the caches; earlier slots hold the keys before it
  int position;  // of the first query, for its rotation
  int outputs;   // the last `outputs` queries are computed; the others only append keys and values
  float scale;   // of the scores q · k
  // Whether many queries may be computed in bfloat16, where the CPU has a matrix unit and they need
  // not be reproducible.
  bool allow_bfloat16 = false;
  // Scores become cap · tanh(score / cap); 0 = off. Not by the matrix unit.
  float cap = 0;
  // Whether keys and values come with the queries, or are in the caches already.
  bool appends = true;
  // Whether there are keys only, rotated, which are the values too.
  bool keys_are_values = false;
};

// See RopeAngles in layers/rope/rope_angles.h.
struct Rotation {
  const std::vector<float>& frequencies;
  float amplitude;
  bool interleaved;
};

// Inputs that only some models have.
struct AttentionExtras {
  std::optional<mx::array> sinks;          // [heads] logits without a key and a value
  std::optional<mx::array> query_weights;  // [head_dim], multiplied with each rotated query
};

// Rotates q and k, appends k and v to the caches *in place* and attends.
// `projected`: q [1, L, heads · head_dim], k and v [1, L, kv_heads · head_dim], or the three side
// by side in one array, or q alone (see `appends`); keys and values [1, kv_heads, capacity,
// head_dim], float32 or float16
// -> [1, outputs, heads · head_dim].
mx::array attention(const std::vector<mx::array>& projected, const mx::array& keys,
                    const mx::array& values, const AttentionShape& shape, const Rotation& rotation,
                    const AttentionExtras& extras);

// One of several sequences: its caches, and where its next token goes, as in AttentionShape.
struct AttentionRow {
  mx::array keys, values;
  int slot;
  int position;
  Rotation rotation;
};

// The next token of each of several sequences: `projected` as above, where position i belongs to
// rows[i] -> [1, rows, heads · head_dim], each with the same bits as `attention` gives it alone. Of
// the shape, `slot`, `position` and `outputs` are not used.
mx::array attention_step(const std::vector<mx::array>& projected,
                         std::span<const AttentionRow> rows, const AttentionShape& shape,
                         const AttentionExtras& extras);

}  // namespace llm_host::cpu
