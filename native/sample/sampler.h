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
  Penalties penalties = {};
  // A bit for each token, lowest bit first: which tokens the reply may start with; empty = all.
  std::vector<uint8_t> allowed_first = {};
  // This many tokens at the end of the prompt were generated earlier: penalties count them as
  // generated, and steps are numbered after them.
  int continued = 0;
  // The token that a call begins with, and the probability that it needs to come first; -1 = none.
  int32_t call_start = -1;
  float call_confidence = 0;
};

inline bool is_allowed(std::span<const uint8_t> allowed, size_t id) {
  return (allowed[id / 8] >> (id % 8) & 1) != 0;
}

// A copy of the logits with every token that is not allowed at minus infinity. NaNs stay, so that
// they are reported.
std::vector<float> only_allowed(std::span<const float> logits, std::span<const uint8_t> allowed);

// Logits of tokens that a reply may begin with: a copy of the logits without those that are not
// allowed, and without a call that is less likely than `call_confidence` among all tokens, before
// bias and penalties.
std::vector<float> first_logits(std::span<const float> logits, const SamplingParams& params);

inline bool restricts_first(const SamplingParams& params) {
  return !params.allowed_first.empty() || params.call_start >= 0;
}

// Picks the token of `step`; -1 if a logit is NaN or none is finite. In Hugging Face's order: bias
// and penalties, temperature, top-k, top-p, min-p, all in float32. A pure function whose ties are
// broken by id, so that a step can be repeated, on another machine too.
int32_t sample(std::span<const float> logits, const SamplingParams& params, uint64_t step,
               const TokenHistory& history = TokenHistory());

// A random number in [0, 1), a pure function of seed and step.
double uniform(uint32_t seed, uint64_t step);

}  // namespace llm_host
