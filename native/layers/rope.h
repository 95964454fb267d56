#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/value.h"
#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// How a token's position turns the channels of its queries and keys, for the first 2n channels of a
// head, n being the number of frequencies. Channel c pairs with c + n (Hugging Face's rotate_half),
// or 2c with 2c + 1 if interleaved.
struct RopeAngles {
  RopeAngles() = default;  // no positions at all
  explicit RopeAngles(std::vector<float> frequencies, float amplitude = 1);

  // x [1, heads, L, head_dim], the first position being `offset`.
  mx::array rotate(const mx::array& x, int offset) const;

  std::vector<float> frequencies;  // radians per position
  float amplitude = 1;             // of the rotated channels
  bool interleaved = false;

 private:
  std::optional<mx::array> periods_;  // [n] = 1 / frequencies
};

struct RopeOptions {
  int head_dim;
  // max_position_embeddings, in tokens.
  int max_positions;
  // Where config.json names no base.
  double theta = 10000;
  const char* theta_key = "rope_theta";
  // The entry of `rope_parameters` that counts, where it has one for each kind of layer.
  std::string layer_type;
  // Only that entry counts: parameters that all layers share are not for this one.
  bool only_own = false;
};

// Rotary position embedding of the kinds default, linear, dynamic, llama3, yarn and longrope, as
// transformers computes them (modeling_rope_utils.py). Reads `rope_parameters`, and the older
// rope_theta, rope_scaling and partial_rotary_factor.
class Rope {
 public:
  Rope(const Config& config, const RopeOptions& options);

  // The angles in a sequence that is, or is planned to be, `length` tokens long.
  const RopeAngles& angles(int length) const;
  // Equal for two lengths whose angles are equal; always 0 for most kinds. A new prompt cannot use
  // keys that were made under another regime.
  int regime(int length) const;
  // Whether a sequence that grows to `length` tokens needs all its keys made anew (longrope).
  bool restarts_at(int length) const;
  // Tokens that the angles are meant for: more than max_position_embeddings where that is the
  // length before scaling.
  int max_positions() const { return max_positions_; }

 private:
  enum class Switch { kNever, kOnceLong, kWithLength };

  void read_dynamic(const Config& section, int max_positions);
  void read_longrope(const Config& section, const Config& config, int max_positions);
  RopeAngles angles_of(const std::vector<double>& periods, float amplitude = 1) const;

  double theta_;
  double dims_;  // rotated channels of a head
  double factor_ = 1;
  bool interleaved_;
  Switch switch_ = Switch::kNever;
  int switch_length_ = 0;  // tokens; longer sequences get other angles
  int max_positions_;
  RopeAngles short_;
  RopeAngles long_;               // kOnceLong
  mutable RopeAngles stretched_;  // kWithLength: of the last length asked for
  mutable int stretched_length_ = 0;
};

}  // namespace llm_host
