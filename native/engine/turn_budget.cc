#include "engine/turn_budget.h"

#include <algorithm>

namespace llm_host {

void TurnBudget::read(int tokens, double ms) {
  double each = ms / tokens;
  spent_ms_ += ms;
  has_read_ = true;
  // A few take as long as more would, since the weights are read for them too.
  if (tokens < kFewest && each > token_ms_ && token_ms_ > 0) return;
  // Slower counts at once, faster by and by: one chunk may have had the machine to itself.
  token_ms_ = std::max(each, (token_ms_ + each) / 2);
}

int TurnBudget::tokens() const {
  if (token_ms_ == 0) return has_read_ ? 0 : kFirst;
  double fit = (max_gap_ms_ - spent_ms_) / token_ms_;
  // Whole groups of rows, which the kernels compute together.
  int groups = static_cast<int>(std::clamp(fit, 0.0, 1e6)) / kFewest;
  return std::max(has_read_ ? 0 : 1, groups) * kFewest;
}

}  // namespace llm_host
