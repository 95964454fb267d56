#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sample/penalties.h"

namespace llm_host {

struct SamplingParams {
  float temperature = 0;  // 0 = greedy
  int top_k = 0;          // 0 = off
  float top_p = 1;        // 1 = off
  float min_p = 0;        // 0 = off
  uint32_t seed = 0;
  Penalties penalties;
  // A bit for each token, lowest first: which may come first; empty = all.
  std::vector<uint8_t> allowed_first = {};
  // The last so many tokens of the prompt were generated before: penalties count them so, and the
  // steps go on behind them.
  int continued = 0;
};

inline bool is_allowed(std::span<const uint8_t> allowed, size_t id) {
  return (allowed[id / 8] >> (id % 8) & 1) != 0;
}

// The logits with those of all other tokens at minus infinity. A NaN stays, to be told of.
std::vector<float> only_allowed(std::span<const float> logits, std::span<const uint8_t> allowed);

// Picks the token at `step`; -1 if a logit is no number. Hugging Face's order: bias and penalties,
// temperature, top-k, top-p, min-p; all in float32. Depends on its arguments only, and on the order
// of nothing but the ids, so that a step can be computed again or on another machine.
int32_t sample(std::span<const float> logits, const SamplingParams& params, uint64_t step,
               const TokenHistory& history = TokenHistory());

// A number in [0, 1) that depends on the seed and the step only.
double uniform(uint32_t seed, uint64_t step);

}  // namespace llm_host
