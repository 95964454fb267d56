#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/speculate/governor.h"
#include "engine/speculate/prompt_lookup.h"

namespace llm_host {

// Proposes what followed in the text when its end occurred before: see PromptLookup.
class LookupProposer {
 public:
  // `text`: the prompt. `always`: whatever it costs.
  LookupProposer(Governor& governor, bool always, std::span<const int32_t> text)
      : governor_(governor), always_(always), lookup_(text) {
    lookup_.find();
  }

  // The next token of the reply.
  void add(int32_t id);
  // The tokens to verify in a pass for `sequences`, at most `most`.
  std::vector<int32_t> propose(int sequences, int most) const;
  // Whether to wait for the token that comes next, to propose those after it.
  bool promises(int sequences) const;

 private:
  // How likely the i-th predicted token is right if those before it are.
  double rate(int i) const;

  Governor& governor_;
  const bool always_;
  PromptLookup lookup_;
  Acceptance own_{24};
  Calibration calibration_;
  // Predictions that were right of late, proposed or not; halved by one that was wrong. A reply has
  // to show that it copies before anything is proposed, and how much.
  int right_ = 0;
  static constexpr int kProof = 3;
};

}  // namespace llm_host
