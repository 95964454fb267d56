#pragma once

#include <algorithm>

namespace llm_host {

// How a draft model has done lately, for all generations together: how often a token that it
// proposed was right, and what it takes to propose one and to read one.
class DraftRecord {
 public:
  // Notes the outcome of a reply's token, as Draft::add gives it.
  void noted(int outcome) {
    if (outcome < 0) {
      if (++rested_ >= kPause) rounds_ = 0;
      return;
    }
    if (tried_ >= kMemory) keep(kMemory / 2);
    tried_ += 1;
    right_ += outcome;
  }
  // Proposing `tokens` took `ms`.
  void drafted(int tokens, double ms) {
    // Old outcomes say little.
    if (rested()) keep(kPrior);
    rested_ = 0;
    ++rounds_;
    if (tokens > 0) learn(token_ms_, ms / tokens);
  }
  // Reading `tokens` of the text took `ms`.
  void read(int tokens, double ms) {
    if (tokens > 0) learn(read_ms_, ms / tokens);
  }

  // From 0 to 1.
  double rate() const { return (right_ + kPrior * kExpected) / (tried_ + kPrior); }
  // Milliseconds to propose a token; `plain_ms`: those of a pass of the larger model.
  double token_ms(double plain_ms) const { return token_ms_ > 0 ? token_ms_ : kShare * plain_ms; }
  double read_ms(double plain_ms) const {
    return read_ms_ > 0 ? read_ms_ : kReadShare * token_ms(plain_ms);
  }
  bool measured_reading() const { return read_ms_ > 0; }
  // It has proposed nothing for so long that it may be worth another try.
  bool rested() const { return rested_ >= kRest; }
  // Now and then some tokens come without it, to measure what they take: other programs may have
  // changed that.
  bool pauses() const { return rounds_ >= kRounds; }

 private:
  // Observations that count, about; those that the expected rate counts like; tokens of a rest.
  static constexpr double kMemory = 64, kPrior = 4, kExpected = 0.6;
  static constexpr int kRest = 128;
  // Times that it proposes before a pause, and tokens of that.
  static constexpr int kRounds = 64, kPause = 4;
  // The share of a new measurement, and how many times the ones before it may be.
  static constexpr double kNew = 0.2, kMost = 4;
  // Before it was measured: what a token takes of a pass, and reading one of proposing one.
  static constexpr double kShare = 0.15, kReadShare = 0.25;

  void keep(double observations) {
    if (tried_ <= observations) return;
    right_ *= observations / tried_;
    tried_ = observations;
  }
  // A measurement above this multiple was interrupted.
  static void learn(double& known, double ms) {
    known = known > 0 ? known + kNew * (std::min(ms, kMost * known) - known) : ms;
  }

  double right_ = 0, tried_ = 0, token_ms_ = 0, read_ms_ = 0;
  int rested_ = 0, rounds_ = 0;
};

}  // namespace llm_host
