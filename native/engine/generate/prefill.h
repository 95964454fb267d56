#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "engine/cache/sequence.h"
#include "engine/job/request.h"
#include "models/model.h"

namespace llm_host {

// Makes a sequence hold a prompt, some tokens at a time: keeps the prefix they share, and reads the
// rest. All of it is read again where the length changes the position angles.
class Prefill {
 public:
  Prefill(const Model& model, Sequence& sequence, const Request& request);
  // Reads all of `ids` again, without scores.
  Prefill(const Model& model, Sequence& sequence, std::vector<int32_t> ids);

  int total() const { return static_cast<int>(ids_.size()); }
  int done() const { return static_cast<int>(sequence_.ids.size()); }
  // Tokens that the KV cache held already.
  int cached() const { return cached_; }
  bool finished() const { return done() == total(); }

  // Reads at most `count` more tokens in one step. -> the hidden states of the last ones,
  // [1, >= 1, H], computed. May throw; the sequence's cache must not be used after that.
  mx::array step(int count);
  // Scores of each prompt token but the first, if asked for, once finished.
  std::vector<float> take_scores() { return std::move(scores_); }

 private:
  const Model& model_;
  Sequence& sequence_;
  const std::vector<int32_t> ids_;
  const bool scored_;
  int cached_ = 0;
  std::set<int> checkpoints_;  // lengths at which to keep the state
  std::vector<float> scores_;
};

}  // namespace llm_host
