#pragma once

#include <vector>

#include "layers/cache/layer_cache.h"

namespace llm_host {

// Small named arrays of one layer, such as the last inputs of a convolution or the state of a
// recurrence. Earlier states are gone, so it cannot be trimmed, but for those that `remember`
// keeps. Never write into the arrays in place, since checkpoints share them; their shapes must not
// depend on the number of tokens.
class StateCache final : public LayerCache {
 public:
  // The array set last; nothing before the first token.
  std::optional<mx::array> get(const std::string& name) const;
  void set(const std::string& name, mx::array value) {
    arrays_.insert_or_assign(name, std::move(value));
  }
  // Counts tokens: once for each call of the layer, after setting its arrays.
  void advance(int count) {
    length_ += count;
    if (remembers_) past_.push_back({length_, arrays_});
  }
  // From now on the state after each call is kept, so that `trim` can go back to it; or no longer.
  void remember(bool on) {
    remembers_ = on;
    past_.clear();
  }

  int length() const override { return length_; }
  bool can_trim(int length) const override {
    return length == length_ || length == 0 || remembered(length) != nullptr;
  }
  void trim(int length) override;
  bool always_trimmable() const override { return false; }
  LayerState state_at(int length) const override {
    if (length == length_) return {length_, arrays_};
    const LayerState* state = remembered(length);
    return state != nullptr ? *state : LayerState{};
  }
  void restore(const LayerState& state) override;
  uint64_t bytes() const override { return bytes_of({length_, arrays_}); }
  uint64_t bytes_after(int) const override { return bytes(); }

 private:
  const LayerState* remembered(int length) const;

  bool remembers_ = false;
  std::vector<LayerState> past_;
  int length_ = 0;
  std::map<std::string, mx::array> arrays_;
};

}  // namespace llm_host
