#include "sample/logprobs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace llm_host {

double log_sum_of_exps(std::span<const float> logits) {
  float highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit) - highest);
  return highest + std::log(sum);
}

Logprobs logprobs_of(std::span<const float> logits, int32_t chosen, int top) {
  double log_sum = log_sum_of_exps(logits);
  Logprobs result;
  result.chosen = static_cast<float>(logits[static_cast<size_t>(chosen)] - log_sum);
  if (top <= 0) return result;
  std::vector<int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  size_t count = std::min(static_cast<size_t>(top), ids.size());
  std::partial_sort(ids.begin(), ids.begin() + static_cast<long>(count), ids.end(),
                    [&](int32_t a, int32_t b) {
                      float x = logits[static_cast<size_t>(a)], y = logits[static_cast<size_t>(b)];
                      return x != y ? x > y : a < b;
                    });
  for (size_t i = 0; i < count; ++i) {
    result.top_ids.push_back(ids[i]);
    result.top.push_back(static_cast<float>(logits[static_cast<size_t>(ids[i])] - log_sum));
  }
  return result;
}

}  // namespace llm_host
