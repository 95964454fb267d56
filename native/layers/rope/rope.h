#pragma once

#include <string>
#include <vector>

#include "common/value.h"
#include "layers/rope/rope_angles.h"

namespace llm_host {

struct RopeOptions {
  int head_dim;
  // max_position_embeddings.
  int max_positions;
  // The base where config.json has none.
  double theta = 10000;
  const char* theta_key = "rope_theta";
  // Which entry of `rope_parameters` to read, where it has one for each kind of layer.
  std::string layer_type = "";
  // `theta` counts, whatever config.json has.
  bool own_theta = false;
  // partial_rotary_factor where config.json has none.
  double part = 1;
  // Channel 2c pairs with 2c + 1, as in GPT-J, instead of c with c + n.
  bool interleaved = false;
  // Read that entry only, not the parameters that all layers share.
  bool only_own = false;
};

// Rotary position embedding of the kinds default, linear, dynamic, llama3, yarn, longrope and
// proportional, as transformers computes them (modeling_rope_utils.py). Reads `rope_parameters`,
// and the older rope_theta, rope_scaling and partial_rotary_factor.
class Rope {
 public:
  Rope(const Config& config, const RopeOptions& options);

  // The angles in a sequence that is, or is planned to be, `length` tokens long.
  const RopeAngles& angles(int length) const;
  // A number that is equal for two lengths with equal angles; always 0 for most kinds. A new prompt
  // cannot reuse keys that were made under another regime.
  int regime(int length) const;
  // Whether a sequence that grows to `length` tokens needs all its keys computed again (longrope).
  bool restarts_at(int length) const;
  // The longest sequence the angles are made for: more than max_position_embeddings where that is
  // the length before scaling.
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
