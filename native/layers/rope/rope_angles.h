#pragma once

#include <optional>
#include <vector>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// Rotates the first 2n channels of each head of queries and keys by an angle that grows with the
// token's position, n being the number of frequencies. Channel c pairs with c + n (Hugging Face's
// rotate_half), or 2c with 2c + 1 if interleaved.
struct RopeAngles {
  RopeAngles() = default;  // rotates nothing
  RopeAngles(std::vector<float> frequencies, float amplitude, bool interleaved);

  // x [1, heads, L, head_dim], the first position being `offset`.
  mx::array rotate(const mx::array& x, int offset) const;
  // The heads of one token, [heads, 1, 1, head_dim], each as at a position of its own, [heads]. At
  // position 0 they stay as they are. Only for an amplitude of 1.
  mx::array rotate_each(const mx::array& heads, const mx::array& positions) const;

  std::vector<float> frequencies;  // [n] radians per position
  float amplitude = 1;             // factor of the rotated channels
  bool interleaved = false;

 private:
  std::optional<mx::array> periods_;  // [n] = 1 / frequencies
};

}  // namespace llm_host
