#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "engine/speculate/match.h"

namespace llm_host {

// How often a predicted token was right, by the match it was found by. Old observations count less
// and less.
class Acceptance {
 public:
  // `memory`: observations that count, about.
  explicit Acceptance(double memory) : memory_(memory) {}

  void note(const Match& match, bool right) {
    Count& count = counts_[kind(match)];
    if (count.tried >= memory_) {
      count.tried /= 2;
      count.right /= 2;
    }
    count.tried += 1;
    count.right += right ? 1 : 0;
  }
  // From 0 to 1. `expected` counts like `weight` observations.
  double rate(const Match& match, double expected, double weight) const {
    const Count& count = counts_[kind(match)];
    return (count.right + weight * expected) / (count.tried + weight);
  }
  // Before anything was observed. Low for short matches: what is predicted is observed whether it
  // is proposed or not, so that waiting costs little.
  static double guess(const Match& match) {
    constexpr std::array<double, kKinds> kGuesses{0.2, 0.3, 0.45, 0.6, 0.8, 0.9, 0.3, 0.5, 0.7};
    return kGuesses[kind(match)];
  }

 private:
  static constexpr size_t kKinds = 9;

  struct Count {
    double right = 0, tried = 0;
  };

  // Lengths of 2, 3, 4, 5 to 7, 8 to 15, and more; 0, 1, and 2 or 3 after an edit.
  static size_t kind(const Match& match) {
    if (match.since >= 0) return match.since < 2 ? static_cast<size_t>(6 + match.since) : 8;
    if (match.length <= 4) return match.length < 2 ? 0 : static_cast<size_t>(match.length - 2);
    return match.length < 8 ? 3 : match.length < 16 ? 4 : 5;
  }

  double memory_;
  std::array<Count, kKinds> counts_;
};

// How many predictions of a reply were right of those that were expected to be, lately. Where short
// matches mislead, because nothing is copied, so will longer ones.
class Calibration {
 public:
  void note(double expected, bool right) {
    expected_ += expected - kFading * expected_;
    right_ += (right ? 1 : 0) - kFading * right_;
  }
  // For the rates that are expected, at most 1.
  double factor() const { return std::min(1.0, (right_ + kPrior) / (expected_ + kPrior)); }

 private:
  static constexpr double kFading = 0.03, kPrior = 1;

  double expected_ = 0, right_ = 0;
};

}  // namespace llm_host
