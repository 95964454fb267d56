#include "engine/speculate/pass_costs.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace llm_host {
namespace {

// Shares of a plain pass, before they are measured.
constexpr double kWaitShare = 0.08, kRowShare = 0.15;
// The guesses count like two measurements, with so many proposed tokens, of this weight.
constexpr double kFewTokens = 1, kManyTokens = 8, kGuessWeight = 0.2;
// The share of a new measurement of a plain pass.
constexpr double kNew = 0.2;
// The share of earlier measurements of waited passes that stays after another one; and after each
// plain pass, since a wrong measurement would end the proposals that could correct it.
constexpr double kKept = 0.95, kKeptUnused = 0.995;
// Passes that take longer than expected by this factor were interrupted.
constexpr double kInterrupted = 4;
// Proposed tokens of the first pass that has any, at most.
constexpr int kFirst = 3;
// A row costs this share of a plain pass at least, and waiting that share at most.
constexpr double kLeastShare = 0.01, kMostWaitShare = 0.5;

}  // namespace

void PassCosts::Sums::scale(double factor) {
  for (double* sum : {&n, &x, &xx, &y, &xy}) *sum *= factor;
}

void PassCosts::Sums::add(double weight, double at, double value) {
  n += weight;
  x += weight * at;
  xx += weight * at * at;
  y += weight * value;
  xy += weight * at * value;
}

double PassCosts::plain_ms(int sequences) const {
  auto at = static_cast<size_t>(sequences);
  if (at < plain_ms_.size() && plain_ms_[at] > 0) return plain_ms_[at];
  // A pass of fewer sequences takes less, so proposals seem to cost more than they do.
  for (size_t i = std::min(at, plain_ms_.size()); i-- > 0;) {
    if (plain_ms_[i] > 0) return plain_ms_[i];
  }
  return 1;
}

bool PassCosts::measured(int sequences) const {
  auto end = plain_ms_.begin() + std::min<std::ptrdiff_t>(sequences + 1, std::ssize(plain_ms_));
  return std::any_of(plain_ms_.begin(), end, [](double ms) { return ms > 0; });
}

// A line through what was measured and guessed.
PassCosts::More PassCosts::more(int sequences) const {
  double plain = plain_ms(sequences), least = kLeastShare * plain;
  Sums s = waited_;
  for (double tokens : {kFewTokens, kManyTokens}) {
    s.add(kGuessWeight, tokens, (kWaitShare + tokens * kRowShare) * plain);
  }
  double row = std::max((s.n * s.xy - s.x * s.y) / (s.n * s.xx - s.x * s.x), least);
  double wait = (s.y - row * s.x) / s.n;
  if (wait < 0) return {0, std::max(s.xy / s.xx, least)};
  // Passes with equal numbers of tokens do not tell what is the wait and what the tokens.
  double most = kMostWaitShare * plain;
  if (wait > most) return {most, std::max((s.y - most * s.n) / s.x, least)};
  return {wait, row};
}

int PassCosts::known() const { return kFirst + static_cast<int>(waited_.x); }

void PassCosts::passed(const Pass& pass, bool waited, double ms) {
  auto at = static_cast<size_t>(pass.sequences);
  if (plain_ms_.size() <= at) plain_ms_.resize(at + 1);
  double& plain = plain_ms_[at];
  if (!waited) {
    if (plain > 0 && ms > kInterrupted * plain) return;
    plain = plain > 0 ? plain + kNew * (ms - plain) : ms;
    waited_.scale(kKeptUnused);
    return;
  }
  int proposed = pass.rows - pass.sequences;
  More expected = more(pass.sequences);
  double most = kInterrupted * (plain + expected.wait_ms + proposed * expected.row_ms);
  if (plain == 0 || ms > most) return;
  waited_.scale(kKept);
  waited_.add(1, proposed, ms - plain);
}

}  // namespace llm_host
