#include "engine/speculate/governor.h"

#include <algorithm>

namespace llm_host {
namespace {

// Proposing must promise this much more than not to.
constexpr double kGain = 1.1;
// Observations that those of other generations count like, and guesses.
constexpr double kOthers = 3, kGuess = 4;
// Tokens that a draft model proposes to show whether it pays again.
constexpr int kTrial = 3;

}  // namespace

double Governor::rate(const Acceptance& own, const Match& match) const {
  double others = acceptance_.rate(match, Acceptance::guess(match), kGuess);
  return own.rate(match, others, kOthers);
}

Governor::Plan Governor::plan(int sequences, int most, const Rate& rate, double token_ms) const {
  double plain = costs_.plain_ms(sequences);
  auto [wait, row] = costs_.more(sequences);
  double tokens = sequences, likely = 1, fastest = kGain * tokens / plain;
  const double usual = fastest;
  most = std::min(most, costs_.known());
  Plan best;
  for (int i = 1; i <= most; ++i) {
    likely *= rate(i - 1);
    tokens += likely;
    double ms = plain + wait + i * (row + token_ms), speed = tokens / ms;
    if (speed <= fastest) continue;
    fastest = speed;
    best = {i, tokens / usual - ms};
  }
  return best;
}

int Governor::worth(int sequences, int most, const Rate& rate) const {
  return plan(sequences, most, rate).count;
}

int Governor::worth_drafting(int sequences, int most) const {
  if (draft_.pauses()) return 0;
  double rate = draft_.rate(), each = draft_.token_ms(costs_.plain_ms(sequences));
  int count = plan(sequences, most, [=](int) { return rate; }, each).count;
  return count == 0 && draft_.rested() ? std::min(most, kTrial) : count;
}

bool Governor::worth_waiting(int sequences, const Rate& rate) const {
  double saved = plan(sequences, kMost, [&](int i) { return rate(i + 1); }).saved_ms;
  return rate(0) * saved > costs_.more(sequences).wait_ms;
}

}  // namespace llm_host
