#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/speculate/draft_model.h"
#include "sample/lazy_sampler.h"

namespace llm_host {

// A draft model's expectation of one generation. Its own sequence follows the generation's text,
// goes ahead of it with what it proposes, and comes back to where that was wrong.
class Draft {
 public:
  // Draws as the generation does, with the same random numbers, but without penalties.
  Draft(const DraftModel& source, SequencePool::Lease lease, const SamplingParams& params,
        std::span<const int32_t> prompt);
  ~Draft();
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  // The next token of the reply. -> 1 if it was proposed, 0 if another one was, -1 if none was
  int add(int32_t id);
  // Tokens of the text.
  int length() const { return static_cast<int>(text_.size()); }
  // The number of tokens that it must read before it can propose.
  int behind() const { return behind(length()); }
  // As above for the text's first `count` tokens; never the last, which `propose` reads.
  int behind(int count) const;
  // Reads the first `count` of those.
  void read(int count);
  // How many tokens it could propose: none beyond its context, or after one that it does not know.
  int most() const;
  // At most `count` tokens that follow the text; fewer if there is no room.
  std::vector<int32_t> propose(int count);

 private:
  Sequence& sequence() const { return lease_.sequence(); }
  int unread() const { return length() - static_cast<int>(sequence().ids.size()); }
  // Tokens that it keeps of what it has read and proposed.
  int kept() const;
  // Back to those.
  void come_back();
  // Runs the model over the next `count` tokens of the text. -> hidden states of the last, lazy
  mlx::core::array append(int count);
  std::vector<int32_t> draw(mlx::core::array hidden, int count);
  std::vector<int32_t> expected(int count);
  void say(int32_t id);

  const DraftModel& source_;
  SequencePool::Lease lease_;
  const LazySampler sampler_;
  const size_t prompt_tokens_;
  std::vector<int32_t> text_;
  bool known_ = true;              // all its tokens, to the draft model
  bool ahead_ = false;             // of the text, since it proposed
  std::vector<int32_t> proposed_;  // after the text as it was then
  size_t next_ = 0;                // the one of these that comes next, if all before it were right
};

}  // namespace llm_host
