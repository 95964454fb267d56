#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/job/request.h"
#include "engine/speculate/governor.h"
#include "engine/speculate/prompt_lookup.h"

namespace llm_host {

// Proposes tokens for one generation, by what its prompt and reply say so far.
class Speculator {
 public:
  // With Lookup::kAlways: proposed tokens whatever they cost, at most.
  static constexpr int kAlways = 7;

  // `text`: the prompt.
  Speculator(Governor& governor, Lookup lookup, std::span<const int32_t> text)
      : governor_(governor), always_(lookup == Lookup::kAlways), lookup_(text) {
    lookup_.find();
  }

  // The next token of the reply.
  void add(int32_t id);
  // Those to verify in a pass for `sequences`, `most` at most.
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
