#include "engine/speculate/governor.h"

#include <algorithm>
#include <utility>

namespace llm_host {
namespace {

// Proposing must promise this much more than not to. What is looked up is not charged for where it
// was wrong: see DraftAccount.
constexpr double kGain = 1.1, kDraftGain = 1.03;
// Observations that those of other generations count like, and guesses.
constexpr double kOthers = 3, kGuess = 4;
// Tokens that a draft model proposes to show whether it pays again.
constexpr int kTrial = 3;

}  // namespace

void Governor::turned(const Pass& pass, bool waited, int tokens, double ms) {
  double drafting = std::exchange(drafting_ms_, 0.0);
  bool drafted = std::exchange(verifies_, std::exchange(drafts_, false)) || drafting > 0;
  if (pass.rows == 0) return;
  ms -= drafting;
  costs_.passed(pass, waited, ms);
  sequences_ = pass.sequences;
  if (!costs_.measured(sequences_)) return;
  double plain = costs_.plain_ms(sequences_);
  account_.set_pass(plain);
  if (drafted) {
    account_.drafted(ms, tokens * plain / sequences_);
  } else {
    account_.rested(ms);
  }
}

void Governor::prompt_read(double ms) { account_.rested(ms - std::exchange(drafting_ms_, 0.0)); }

void Governor::charge(double ms) {
  drafting_ms_ += ms;
  account_.drafted(ms, 0);
}

void Governor::drafted(int tokens, double ms) {
  draft_.drafted(tokens, ms);
  drafts_ = drafts_ || tokens > 0;
  charge(ms);
}

void Governor::draft_read(int tokens, double ms) {
  draft_.read(tokens, ms);
  charge(ms);
}

double Governor::rate(const Acceptance& own, const Match& match) const {
  double others = acceptance_.rate(match, Acceptance::guess(match), kGuess);
  return own.rate(match, others, kOthers);
}

Governor::Plan Governor::plan(int sequences, int most, const Rate& rate, double gain,
                              double token_ms) const {
  double plain = costs_.plain_ms(sequences);
  auto [wait, row] = costs_.more(sequences);
  double tokens = sequences, likely = 1, fastest = gain * tokens / plain;
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
  return plan(sequences, most, rate, kGain).count;
}

int Governor::worth_by_rate(int sequences, int most) const {
  double rate = draft_.rate(), each = draft_.token_ms(single_ms(sequences));
  return plan(sequences, most, [=](int) { return rate; }, kDraftGain, each).count;
}

int Governor::worth_drafting(int sequences, int most, int behind) const {
  if (!costs_.measured(sequences) || draft_.pauses()) return 0;
  int count = worth_by_rate(sequences, most);
  if (count == 0 && draft_.rested()) count = std::min(most, kTrial);
  if (count == 0) return 0;
  return account_.affords(most_lost(sequences, count, behind)) ? count : 0;
}

bool Governor::worth_reading(int tokens) const {
  if (!costs_.measured(sequences_)) return false;
  int count = worth_by_rate(sequences_, kMost);
  return count > 0 && account_.affords(most_lost(sequences_, count, tokens));
}

double Governor::single_ms(int sequences) const {
  return costs_.plain_ms(costs_.measured(1) ? 1 : sequences);
}

double Governor::most_lost(int sequences, int count, int behind) const {
  double single = single_ms(sequences);
  auto [wait, row] = costs_.more(sequences);
  return behind * draft_.read_ms(single) + wait + count * (row + draft_.token_ms(single));
}

bool Governor::worth_waiting(int sequences, const Rate& rate) const {
  double saved = plan(sequences, kMost, [&](int i) { return rate(i + 1); }, kGain).saved_ms;
  return rate(0) * saved > costs_.more(sequences).wait_ms;
}

}  // namespace llm_host
