#pragma once

#include "mlx/mlx.h"
#include "weights/weight_store.h"

namespace llm_host {

namespace mx = mlx::core;

// A matrix for each head of attention. A GPU multiplies with it as it is stored. The CPU's kernels
// take it dense, in float16 where other matrices are packed: quantized ones are dequantized while
// loading.
class HeadLinear {
 public:
  // [heads, out, in]; or [heads, in, out], if `transposed`.
  HeadLinear(Matrix stored, bool transposed, WeightStore& weights);

  // By MLX's operations: x [1, heads or 1, L, in] -> [1, heads, L, out].
  mx::array operator()(const mx::array& x) const { return multiply(x, !transposed_); }
  // By the transposed matrices: x [1, heads or 1, L, out] -> [1, heads, L, in].
  mx::array backwards(const mx::array& x) const { return multiply(x, transposed_); }
  // By our own kernels: x [1, L, heads · n], of whose n values a head takes those from `offset` on
  // -> [1, L, heads, out].
  mx::array side_by_side(const mx::array& x, int offset) const;

 private:
  // x times the matrices as they are stored; or, if `by_rows`, times their transposes.
  mx::array multiply(const mx::array& x, bool by_rows) const;

  Matrix matrix_;
  bool transposed_;
};

// The two halves of kv_b_proj, between a latent of `rank` values and keys and values of each head.
struct LatentHeads {
  HeadLinear to_latent;    // [heads, rank, key_dim]: a query for keys -> one for latents
  HeadLinear from_latent;  // [heads, value_dim, rank]: a sum of latents -> one of values
};

struct LatentHeadShape {
  int heads, key_dim, value_dim, rank;
};

// Reads `path`.kv_b_proj, with what adapters add to it; or `path`.embed_q and `path`.unembed_out,
// which mlx-lm's converter makes of it.
LatentHeads read_latent_heads(WeightStore& weights, const std::string& path,
                              const LatentHeadShape& shape);

}  // namespace llm_host
