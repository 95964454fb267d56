#pragma once

namespace llm_host {

// How a draft model has done lately, for all generations together: how often a token that it
// proposed was right, and what a proposed token takes.
class DraftRecord {
 public:
  // Of a token of a reply: as Draft::add.
  void noted(int outcome) {
    if (outcome < 0) {
      if (++rested_ >= kPause) rounds_ = 0;
      return;
    }
    if (tried_ >= kMemory) {
      tried_ /= 2;
      right_ /= 2;
    }
    tried_ += 1;
    right_ += outcome;
  }
  // Proposing `tokens`, with reading what was said before, took `ms`.
  void drafted(int tokens, double ms) {
    rested_ = 0;
    ++rounds_;
    if (tokens <= 0) return;
    double each = ms / tokens;
    token_ms_ = token_ms_ > 0 ? token_ms_ + kNew * (each - token_ms_) : each;
  }

  // From 0 to 1.
  double rate() const { return (right_ + kPrior * kExpected) / (tried_ + kPrior); }
  // `plain_ms`: of a pass of the larger model.
  double token_ms(double plain_ms) const { return token_ms_ > 0 ? token_ms_ : kShare * plain_ms; }
  // It has proposed nothing for so long that it may be worth another try.
  bool rested() const { return rested_ >= kRest; }
  // Now and then some tokens come without it, to measure what they take: other programs may have
  // changed that.
  bool pauses() const { return rounds_ >= kRounds; }

 private:
  // Observations that count, about; those that the expected rate counts like; tokens of a rest.
  static constexpr double kMemory = 64, kPrior = 4, kExpected = 0.6;
  static constexpr int kRest = 256;
  // Times that it proposes before a pause, and tokens of that.
  static constexpr int kRounds = 20, kPause = 4;
  // The share of a new measurement; what a token takes of a pass, before it was measured.
  static constexpr double kNew = 0.2, kShare = 0.15;

  double right_ = 0, tried_ = 0, token_ms_ = 0;
  int rested_ = 0, rounds_ = 0;
};

}  // namespace llm_host
