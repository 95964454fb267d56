#include "sample/sampler.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sample/logprobs.h"

namespace llm_host {
namespace {

// Whether any is greater than `best`, or is NaN. Without a way out, so that compilers use vectors.
bool any_beyond(std::span<const float> values, float best) {
  int any = 0;
  for (float value : values) any |= static_cast<int>(!(value <= best));
  return any != 0;
}

// The first of the greatest; -1 if there is a NaN.
int32_t argmax(std::span<const float> logits) {
  // Most blocks hold nothing greater than what was before them.
  constexpr size_t kBlock = 256;
  size_t best = 0;
  for (size_t first = 0; first < logits.size(); first += kBlock) {
    size_t end = std::min(first + kBlock, logits.size());
    if (!any_beyond(logits.subspan(first, end - first), logits[best])) continue;
    for (size_t i = first; i < end; ++i) {
      if (std::isnan(logits[i])) return -1;
      if (logits[i] > logits[best]) best = i;
    }
  }
  return static_cast<int32_t>(best);
}

// -1 also if the greatest is infinite.
int32_t finite_argmax(std::span<const float> logits) {
  int32_t best = argmax(logits);
  return best >= 0 && std::isfinite(logits[static_cast<size_t>(best)]) ? best : -1;
}

struct Candidate {
  float score;
  float weight;  // exp(score - the best score)
  int32_t id;
};

// Likeliest first; ties by id, so that the order never depends on the sort.
bool likelier(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.id < b.id;
}

double sum_of_weights(const std::vector<Candidate>& candidates) {
  double sum = 0;
  for (const Candidate& c : candidates) sum += c.weight;
  return sum;
}

// The k-th highest score; tokens as likely as that one stay, as in Hugging Face.
float top_k_threshold(std::span<const float> scores, int k) {
  if (k <= 0 || static_cast<size_t>(k) >= scores.size()) return -HUGE_VALF;
  std::vector<float> copy(scores.begin(), scores.end());
  std::nth_element(copy.begin(), copy.begin() + (k - 1), copy.end(), std::greater<>());
  return copy[static_cast<size_t>(k - 1)];
}

// By id.
std::vector<Candidate> candidates_from(std::span<const float> scores, float threshold, float best) {
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] < threshold) continue;
    candidates.push_back({scores[i], std::exp(scores[i] - best), static_cast<int32_t>(i)});
  }
  return candidates;
}

// Keeps the likeliest tokens, as few as add up to probability `p`. Sorts only as far as needed.
void keep_top_p(std::vector<Candidate>& candidates, float p) {
  if (p >= 1) return;
  double wanted = p * sum_of_weights(candidates), sum = 0;
  std::vector<Candidate> order = candidates;
  size_t sorted = 0, kept = 0;
  while (kept < order.size() && sum < wanted) {
    if (kept == sorted) {
      size_t next = std::min(order.size(), std::max<size_t>(64, sorted * 4));
      std::partial_sort(order.begin() + static_cast<long>(sorted),
                        order.begin() + static_cast<long>(next), order.end(), likelier);
      sorted = next;
    }
    sum += order[kept++].weight;
  }
  Candidate last = order[std::max<size_t>(kept, 1) - 1];
  std::erase_if(candidates, [=](const Candidate& c) { return likelier(last, c); });
}

void keep_min_p(std::vector<Candidate>& candidates, float min_p, float best) {
  if (min_p <= 0) return;
  float threshold = best + std::log(min_p);
  std::erase_if(candidates, [=](const Candidate& c) { return c.score < threshold; });
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

std::vector<float> only_allowed(std::span<const float> logits, std::span<const uint8_t> allowed) {
  std::vector<float> result(logits.begin(), logits.end());
  for (size_t id = 0; id < result.size(); ++id) {
    if (!is_allowed(allowed, id) && !std::isnan(result[id])) result[id] = -HUGE_VALF;
  }
  return result;
}

std::vector<float> first_logits(std::span<const float> logits, const SamplingParams& params) {
  std::vector<float> result = params.allowed_first.empty()
                                  ? std::vector<float>(logits.begin(), logits.end())
                                  : only_allowed(logits, params.allowed_first);
  if (params.call_start < 0) return result;
  float& start = result[static_cast<size_t>(params.call_start)];
  // Does not hold for what is not a number, which is reported then.
  double least = std::log(static_cast<double>(params.call_confidence)) + log_sum_of_exps(logits);
  if (start < least) start = -HUGE_VALF;
  return result;
}

int32_t sample(std::span<const float> logits, const SamplingParams& params, uint64_t step,
               const TokenHistory& history) {
  bool plain = params.penalties.off();
  if (plain && params.temperature <= 0) return finite_argmax(logits);
  // Penalties may make scores infinite that were not.
  if (!plain && finite_argmax(logits) < 0) return -1;
  std::vector<float> scores(logits.begin(), logits.end());
  apply_penalties(scores, params.penalties, history);
  int32_t chosen = plain ? finite_argmax(scores) : argmax(scores);
  if (chosen < 0 || params.temperature <= 0) return chosen;
  float best = scores[static_cast<size_t>(chosen)] / params.temperature;
  if (!std::isfinite(best)) return chosen;

  for (float& score : scores) score /= params.temperature;
  float threshold = top_k_threshold(scores, params.top_k);
  std::vector<Candidate> candidates = candidates_from(scores, threshold, best);
  keep_top_p(candidates, params.top_p);
  keep_min_p(candidates, params.min_p, best);

  double left = uniform(params.seed, step) * sum_of_weights(candidates);
  for (const Candidate& c : candidates) {
    left -= c.weight;
    if (left < 0) return c.id;
  }
  return chosen;
}

}  // namespace llm_host
