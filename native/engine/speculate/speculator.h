#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/job/request.h"
#include "engine/speculate/draft.h"
#include "engine/speculate/governor.h"
#include "engine/speculate/lookup_proposer.h"

namespace llm_host {

// Proposes tokens for one generation: those that its prompt and reply have said before, which cost
// nothing, else those that a draft model expects.
class Speculator {
 public:
  // `text`: the prompt. `draft` may be null.
  Speculator(Governor& governor, Lookup lookup, std::span<const int32_t> text,
             std::unique_ptr<Draft> draft = nullptr);

  // The prompt has been read up to this length.
  void read(int length);
  // The next token of the reply.
  void add(int32_t id);
  // The tokens to verify in a pass for `sequences`, at most `most`.
  std::vector<int32_t> propose(int sequences, int most);
  // Whether to wait for the token that comes next, to propose those after it.
  bool promises(int sequences) const;

 private:
  int drafts(int sequences, int most) const;
  // Has the draft model read of the `behind` tokens that it must read. -> whether that was all
  bool read_drafts(int behind);

  Governor& governor_;
  const bool always_;
  std::optional<LookupProposer> lookup_;
  std::unique_ptr<Draft> draft_;
};

}  // namespace llm_host
