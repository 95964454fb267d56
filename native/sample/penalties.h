#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace llm_host {

// Changes to the logits before any truncation.
struct Penalties {
  std::vector<std::pair<int32_t, float>> logit_bias;  // token, added to its logit
  float repetition = 1;                               // 1 = off
  float presence = 0;                                 // 0 = off
  float frequency = 0;                                // 0 = off

  bool off() const {
    return logit_bias.empty() && repetition == 1 && presence == 0 && frequency == 0;
  }
};

// The tokens of one generation, and how often each was generated.
class TokenHistory {
 public:
  explicit TokenHistory(std::span<const int32_t> prompt = {}) {
    for (int32_t id : prompt) generated_.try_emplace(id, 0);
  }
  void add(int32_t generated) { ++generated_[generated]; }
  // Token -> times generated; 0 for one that is only in the prompt.
  const std::unordered_map<int32_t, int>& counts() const { return generated_; }

 private:
  std::unordered_map<int32_t, int> generated_;
};

// In this order: the bias is added; the repetition penalty divides positive logits and multiplies
// negative ones of tokens in the prompt or generated (as Hugging Face's); the presence penalty is
// subtracted once from tokens that were generated, the frequency penalty once for each time (as
// OpenAI's, which leave the prompt out).
void apply_penalties(std::span<float> logits, const Penalties& penalties,
                     const TokenHistory& history);

}  // namespace llm_host
