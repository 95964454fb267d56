#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layers/cache/model_cache.h"

namespace llm_host {

// How the tokens that a request goes on from must have been computed.
struct Needs {
  bool reproducible = false;  // see kernels/base/reproducible.h; else either way
  bool adapted = true;        // with the model's adapters, or without them
};

// One sequence of a batch: its cache and exactly the tokens that are in it.
class Sequence {
 public:
  // Checkpoints: as many as fit into these bytes, but at least and at most so many. Those of a
  // large model take tens of megabytes each.
  static constexpr uint64_t kCheckpointBytes = uint64_t{64} << 20;
  static constexpr size_t kFewestCheckpoints = 4;
  static constexpr size_t kMostCheckpoints = 32;

  explicit Sequence(ModelCache cache) : cache(std::move(cache)) {}

  // Goes back to a prefix in common with `prompt`: the longest one if every layer can be trimmed to
  // it, else the longest checkpoint within it, else the start. Leaves out the prompt's last token,
  // which must be computed for its logits.
  // -> its length.
  int rewind(std::span<const int32_t> prompt);
  // How many tokens `rewind` would keep, after `begin` with these needs.
  int reusable(std::span<const int32_t> prompt, const Needs& needs = {}) const;
  // A copy of what `rewind` would keep as a new sequence, in the empty `cache`.
  Sequence fork(ModelCache cache, std::span<const int32_t> prompt) const;
  // The state of a layer after `length` tokens, if `reusable` gives this length for some prompt.
  LayerState state_of(size_t layer, int length) const;
  // Memory of the layers' buffers and the checkpoints.
  uint64_t bytes() const;
  // Forgets the tokens, but not how those that come are computed.
  void forget();
  // Forgets everything.
  void clear();
  // Before tokens are computed, reproducibly or not: forgets those that do not meet the needs.
  void begin(bool reproducible, const Needs& needs);
  // Whether all its tokens were computed reproducibly: see kernels/base/reproducible.h.
  bool reproducible() const { return reproducible_; }
  // Whether they were computed with the model's adapters.
  bool adapted() const { return adapted_; }
  // Saves the present state, unless trimming could restore it. No computation may be pending.
  void checkpoint();

  ModelCache cache;
  std::vector<int32_t> ids;

 private:
  // How many tokens `rewind` would keep.
  int kept(std::span<const int32_t> prompt) const;
  uint64_t checkpoint_bytes() const;
  // Forgets the one that is least likely to be missed.
  void drop_checkpoint();
  // The longest one of at most `length` tokens, or null.
  const ModelCache::Checkpoint* checkpoint_within(int length) const;

  bool reproducible_ = true;
  bool adapted_ = true;
  // By length; each is a prefix of `ids`.
  std::vector<ModelCache::Checkpoint> checkpoints_;
};

}  // namespace llm_host
