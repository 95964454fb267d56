#include "engine/speculate/lookup_proposer.h"

#include <algorithm>

namespace llm_host {

void LookupProposer::add(int32_t id) {
  Match match = lookup_.match();
  if (match.length > 0) {
    bool right = lookup_.following(1).front() == id;
    calibration_.note(rate(0), right);
    right_ = right ? right_ + 1 : right_ / 2;
    own_.note(match, right);
    governor_.noted(match, right);
  }
  lookup_.add(id);
  lookup_.find();
}

double LookupProposer::rate(int i) const {
  return calibration_.factor() * governor_.rate(own_, lookup_.match().after(i));
}

bool LookupProposer::promises(int sequences) const {
  if (lookup_.match().length == 0) return false;
  if (!always_ && right_ < kProof) return false;
  return always_ || governor_.worth_waiting(sequences, [this](int i) { return rate(i); });
}

std::vector<int32_t> LookupProposer::propose(int sequences, int most) const {
  if (lookup_.match().length == 0) return {};
  most = std::min(most, always_ ? Governor::kAlways : Governor::kMost);
  if (!always_) {
    most = std::min(most, right_);
    most = governor_.worth(sequences, most, [this](int i) { return rate(i); });
  }
  if (most <= 0) return {};
  return lookup_.following(most);
}

}  // namespace llm_host
