#include "sample/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace llm_host {
namespace {

struct Candidate {
  float logit;
  int32_t id;
};

// Likeliest first; ties by id, so that the order never depends on the sort.
bool likelier(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

// -1 if there is a NaN.
int32_t argmax(std::span<const float> logits) {
  size_t best = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) return -1;
    if (logits[i] > logits[best]) best = i;
  }
  return static_cast<int32_t>(best);
}

std::vector<Candidate> scaled(std::span<const float> logits, float temperature) {
  std::vector<Candidate> candidates(logits.size());
  for (size_t i = 0; i < logits.size(); ++i) {
    candidates[i] = {logits[i] / temperature, static_cast<int32_t>(i)};
  }
  return candidates;
}

// Tokens as likely as the k-th stay, as in Hugging Face.
void keep_top_k(std::vector<Candidate>& candidates, int k) {
  if (k <= 0 || static_cast<size_t>(k) >= candidates.size()) return;
  std::nth_element(candidates.begin(), candidates.begin() + (k - 1), candidates.end(), likelier);
  float threshold = candidates[static_cast<size_t>(k - 1)].logit;
  std::erase_if(candidates, [=](const Candidate& c) { return c.logit < threshold; });
}

double sum_of_weights(const std::vector<Candidate>& candidates, float top) {
  return std::accumulate(
      candidates.begin(), candidates.end(), 0.0,
      [=](double sum, const Candidate& c) { return sum + std::exp(c.logit - top); });
}

// Keeps the likeliest tokens, as few as hold the share `p`. Sorts only as far as needed.
void keep_top_p(std::vector<Candidate>& candidates, float p, float top) {
  if (p >= 1) return;
  double wanted = p * sum_of_weights(candidates, top);
  double sum = 0;
  size_t sorted = 0, kept = 0;
  while (kept < candidates.size() && sum < wanted) {
    if (kept == sorted) {
      size_t next = std::min(candidates.size(), std::max<size_t>(64, sorted * 4));
      std::partial_sort(candidates.begin() + static_cast<long>(sorted),
                        candidates.begin() + static_cast<long>(next), candidates.end(), likelier);
      sorted = next;
    }
    sum += std::exp(candidates[kept++].logit - top);
  }
  candidates.resize(std::max<size_t>(kept, 1));
}

void keep_min_p(std::vector<Candidate>& candidates, float min_p, float top) {
  if (min_p <= 0) return;
  float threshold = top + std::log(min_p);
  std::erase_if(candidates, [=](const Candidate& c) { return c.logit < threshold; });
}

}  // namespace

double uniform(uint32_t seed, uint64_t step) {
  // SplitMix64's finaliser over a counter.
  uint64_t x = (static_cast<uint64_t>(seed) << 32 ^ step) + 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

int32_t sample(std::span<const float> logits, const SamplingParams& params, uint64_t step) {
  int32_t best = argmax(logits);
  if (best < 0 || params.temperature <= 0) return best;
  float top = logits[static_cast<size_t>(best)] / params.temperature;
  if (!std::isfinite(top)) return best;

  std::vector<Candidate> candidates = scaled(logits, params.temperature);
  keep_top_k(candidates, params.top_k);
  keep_top_p(candidates, params.top_p, top);
  keep_min_p(candidates, params.min_p, top);

  double left = uniform(params.seed, step) * sum_of_weights(candidates, top);
  for (const Candidate& c : candidates) {
    left -= std::exp(c.logit - top);
    if (left < 0) return c.id;
  }
  return best;
}

Logprobs logprobs_of(std::span<const float> logits, int32_t chosen, int top) {
  float highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit) - highest);
  double log_sum = highest + std::log(sum);

  Logprobs result;
  result.chosen = static_cast<float>(logits[static_cast<size_t>(chosen)] - log_sum);
  std::vector<int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  size_t count = std::min(static_cast<size_t>(std::max(top, 0)), ids.size());
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
