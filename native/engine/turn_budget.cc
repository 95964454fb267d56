#include "engine/turn_budget.h"

#include <algorithm>

namespace llm_host {

void TurnBudget::read(int tokens, double ms) {
  double each = ms / tokens;
  // Slower counts at once, faster by and by: one chunk may have had the machine to itself.
  token_ms_ = std::max(each, (token_ms_ + each) / 2);
}

int TurnBudget::tokens() const {
  if (token_ms_ == 0) return kFirst;
  double fit = (kMaxGapMs - decode_ms_) / token_ms_;
  // Whole groups of rows, which the kernels compute together.
  int groups = static_cast<int>(std::clamp(fit, 0.0, 1e6)) / kFewest;
  return std::max(1, groups) * kFewest;
}

}  // namespace llm_host
