#pragma once

#include <functional>

#include "engine/speculate/acceptance.h"
#include "engine/speculate/draft_account.h"
#include "engine/speculate/draft_record.h"
#include "engine/speculate/pass_costs.h"

namespace llm_host {

// Decides how many tokens are worth proposing: it measures what passes cost by their rows, and how
// many predictions are right. Proposing must never make a reply slower.
class Governor {
 public:
  // Proposed tokens of one sequence in a pass, at most.
  static constexpr int kMost = 15;
  // As kMost where tokens are proposed whatever they cost: see Lookup::kAlways.
  static constexpr int kAlways = 7;
  // How likely the i-th predicted token is right if those before it are, from 0 on.
  using Rate = std::function<double(int)>;

  // A turn gave `tokens` of all replies and took `ms`, with what was drafted in it. `pass`: the one
  // that ended; no rows if it is not known when it began. `waited`: the next one was built after
  // it, not while it ran.
  void turned(const Pass& pass, bool waited, int tokens, double ms);
  // Reading a part of a prompt took `ms`.
  void prompt_read(double ms);
  // A token that such a match predicted, whether it was proposed or not.
  void noted(const Match& match, bool right) { acceptance_.note(match, right); }
  // The rate of a generation that has seen `own` so far.
  double rate(const Acceptance& own, const Match& match) const;

  // How many predicted tokens, `most` at most, to propose for one of `sequences`: as many as give
  // the most tokens a millisecond; 0 if that is hardly more than without.
  int worth(int sequences, int most, const Rate& rate) const;
  // Whether it pays to wait for the step under way, whose token is the first that is predicted, to
  // propose those that follow.
  bool worth_waiting(int sequences, const Rate& rate) const;

  // How many tokens a draft model, which takes time of its own, is to propose,
  // after reading `behind` tokens of the text.
  int worth_drafting(int sequences, int most, int behind = 0) const;
  // Whether it is to read so many tokens of a prompt beside the model.
  bool worth_reading(int tokens) const;
  // Notes the outcome of a token, as Draft::add gives it.
  void noted_draft(int outcome) { draft_.noted(outcome); }
  // It proposed so many for the next pass, in `ms`.
  void drafted(int tokens, double ms);
  // It read so many of the text, in `ms`.
  void draft_read(int tokens, double ms);
  // So many it may read at once.
  int most_read() const { return draft_.measured_reading() ? kMostRead : kFirstRead; }

 private:
  struct Plan {
    int count = 0;
    double saved_ms = 0;
  };
  // `token_ms`: to propose a token; `gain`: how many times as fast it must be.
  Plan plan(int sequences, int most, const Rate& rate, double gain, double token_ms = 0) const;
  int worth_by_rate(int sequences, int most) const;
  // A pass of one, or of so many if that was never seen.
  double single_ms(int sequences) const;
  // Milliseconds lost by proposing `count` tokens, after reading `behind`, if none is right.
  double most_lost(int sequences, int count, int behind) const;
  void charge(double ms);

  // More would hold up other sequences; and at first nobody knows what it takes.
  static constexpr int kMostRead = 256, kFirstRead = 16;

  Acceptance acceptance_{128};
  PassCosts costs_;
  DraftRecord draft_;
  DraftAccount account_;
  int sequences_ = 1;       // of the last pass
  double drafting_ms_ = 0;  // in this turn
  bool drafts_ = false;     // for the next pass
  bool verifies_ = false;   // the pass under way has drafted tokens
};

}  // namespace llm_host
