#include "sample/penalties.h"

namespace llm_host {

void apply_penalties(std::span<float> logits, const Penalties& p, const TokenHistory& history) {
  for (auto [id, bias] : p.logit_bias) logits[static_cast<size_t>(id)] += bias;
  if (p.repetition == 1 && p.presence == 0 && p.frequency == 0) return;
  for (auto [id, generated] : history.counts()) {
    float& logit = logits[static_cast<size_t>(id)];
    logit = logit < 0 ? logit * p.repetition : logit / p.repetition;
    if (generated > 0) logit -= p.presence + p.frequency * static_cast<float>(generated);
  }
}

}  // namespace llm_host
