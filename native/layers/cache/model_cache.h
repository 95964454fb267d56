#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "layers/cache/latent_cache.h"
#include "layers/cache/layer_cache.h"
#include "layers/cache/state_cache.h"

namespace llm_host {

struct CacheOptions {
  int max_positions = 0;
  // 4 or 8: quantize keys and values of attention without a window; 0: do not.
  int kv_bits = 0;
};

// The cache that an attention layer needs.
struct AttentionCacheShape {
  int kv_heads;
  int head_dim;
  int window;  // tokens that a token sees, itself included; 0 = all before it
  mx::Dtype dtype;
};

// The cache that a layer with latent attention needs.
struct LatentCacheShape {
  int rotary_dim;
  int rank;
  mx::Dtype dtype;
};

// The cache of every layer for one sequence.
class ModelCache {
 public:
  explicit ModelCache(const CacheOptions& options) : options_(options) {}

  // Adds the next layer's cache, of the kind that the options and the window call for. A window's
  // cache is small and never quantized. Throws USAGE if heads of this size cannot be quantized.
  void add_attention(const AttentionCacheShape& shape);
  // Throws USAGE if it is to be quantized.
  void add_latent(const LatentCacheShape& shape);
  void add_state();

  // Layer `index`, which must have been added as such.
  AttentionCache& attention(size_t index);
  LatentCache& latent(size_t index);
  StateCache& state(size_t index);

  // Announces the length of the prompt that the sequence begins with: some position angles of its
  // tokens depend on it.
  void plan(int length) { planned_ = length; }
  int planned() const { return planned_; }

  int length() const { return layers_.empty() ? 0 : layers_.front()->length(); }
  // Whether every layer can go back to its first `length` tokens.
  bool can_trim(int length) const;
  void trim(int length);
  // Before tokens that may turn out wrong: from now on the layers can go back to the length after
  // each call, until `keep`.
  void remember();
  // Forgets all tokens but the first `length`, which must be among those lengths.
  void keep(int length);
  // Bytes that each call takes until then.
  uint64_t state_bytes() const;
  // False if going back may need a checkpoint.
  bool always_trimmable() const;

  // The means to come back to this length: the states of the layers that cannot always be
  // trimmed.
  struct Checkpoint {
    int length = 0;
    std::vector<std::optional<LayerState>> layers;
  };
  Checkpoint checkpoint() const;
  // Only while the sequence still starts with the tokens it had at the checkpoint.
  void restore(const Checkpoint& checkpoint);

  bool is_state(size_t index) const;
  size_t layers() const { return layers_.size(); }
  LayerState state_of(size_t index) const { return layers_.at(index)->state(); }
  LayerState state_of(size_t index, int length) const {
    return layers_.at(index)->state_at(length);
  }
  void restore(size_t index, const LayerState& state) { layers_.at(index)->restore(state); }

  // Size of the buffers of all layers.
  uint64_t bytes() const;
  // At most the bytes once `count` more tokens are in them; states count from their first token on.
  uint64_t bytes_after(int count) const;

  // Evaluate these, and the cache depends on no pending work.
  std::vector<mx::array> arrays() const;

 private:
  CacheOptions options_;
  int planned_ = 0;
  std::vector<std::unique_ptr<LayerCache>> layers_;
};

}  // namespace llm_host
