#pragma once

#include <functional>
#include <utility>

#include "engine/speculate/acceptance.h"
#include "engine/speculate/draft_record.h"
#include "engine/speculate/pass_costs.h"

namespace llm_host {

// Decides how many tokens are worth proposing: it measures what passes cost by their rows, and how
// many predictions are right. Proposing must never make a reply slower.
class Governor {
 public:
  // Proposed tokens of one sequence in a pass, at most.
  static constexpr int kMost = 15;
  // The same where they are proposed whatever they cost: see Lookup::kAlways.
  static constexpr int kAlways = 7;
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

  // The same for a draft model, which takes time of its own: how many tokens it is to propose.
  int worth_drafting(int sequences, int most) const;
  // What became of a token, as Draft::add says.
  void noted_draft(int outcome) { draft_.noted(outcome); }
  // It proposed so many, in `ms`, which are no part of the next pass.
  void drafted(int tokens, double ms) {
    draft_.drafted(tokens, ms);
    drafting_ms_ += ms;
  }
  // Since this was asked last.
  double take_drafting_ms() { return std::exchange(drafting_ms_, 0.0); }

 private:
  struct Plan {
    int count = 0;
    double saved_ms = 0;
  };
  // `token_ms`: to propose a token.
  Plan plan(int sequences, int most, const Rate& rate, double token_ms = 0) const;

  Acceptance acceptance_{128};
  PassCosts costs_;
  DraftRecord draft_;
  double drafting_ms_ = 0;
};

}  // namespace llm_host
