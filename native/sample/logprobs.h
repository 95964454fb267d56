#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace llm_host {

// Natural logarithms of probabilities, before bias, penalties, temperature and truncation.
struct Logprobs {
  float chosen = 0;
  std::vector<int32_t> top_ids;  // likeliest first
  std::vector<float> top;        // [top_ids]
};

// The amount by which a logit exceeds its log-probability, from logits [V]; not a number if one of
// them is not.
double log_sum_of_exps(std::span<const float> logits);

// Log-probabilities of `chosen` and of the `top` likeliest tokens, from raw logits [V].
Logprobs logprobs_of(std::span<const float> logits, int32_t chosen, int top);

}  // namespace llm_host
