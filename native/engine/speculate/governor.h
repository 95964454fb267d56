#pragma once

#include <functional>

#include "engine/speculate/acceptance.h"
#include "engine/speculate/pass_costs.h"

namespace llm_host {

// Decides how many tokens are worth proposing: it measures what passes cost by their rows, and how
// many predictions are right. Proposing must never make a reply slower.
class Governor {
 public:
  // Proposed tokens of one sequence in a pass, at most.
  static constexpr int kMost = 15;
  // How likely the i-th predicted token is right if those before it are, from 0 on.
  using Rate = std::function<double(int)>;

  // A pass took `ms`. `waited`: the next one was built after it, not while it ran.
  void passed(const Pass& pass, bool waited, double ms) { costs_.passed(pass, waited, ms); }
  // A token that such a match predicted, whether it was proposed or not.
  void noted(const Match& match, bool right) { acceptance_.note(match, right); }
  // Of a generation that has seen `own` so far.
  double rate(const Acceptance& own, const Match& match) const;

  // How many predicted tokens, `most` at most, to propose for one of `sequences`: as many as give
  // the most tokens a millisecond; 0 if that is hardly more than without.
  int worth(int sequences, int most, const Rate& rate) const;
  // Whether it pays to wait for the step under way, whose token is the first that is predicted, to
  // propose those that follow.
  bool worth_waiting(int sequences, const Rate& rate) const;

 private:
  struct Plan {
    int count = 0;
    double saved_ms = 0;
  };
  Plan plan(int sequences, int most, const Rate& rate) const;

  Acceptance acceptance_{128};
  PassCosts costs_;
};

}  // namespace llm_host
