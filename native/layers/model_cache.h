#pragma once

#include <memory>
#include <vector>

#include "layers/layer_cache.h"
#include "layers/state_cache.h"

namespace llm_host {

struct CacheOptions {
  int max_tokens = 0;
};

// What an attention layer asks of its cache.
struct AttentionCacheShape {
  int kv_heads;
  int head_dim;
  int window;  // tokens that a token sees, itself included; 0 = all before it
  mx::Dtype dtype;
};

// The cache of every layer for one row.
class ModelCache {
 public:
  explicit ModelCache(const CacheOptions& options) : options_(options) {}

  // The next layer's cache: of the kind that the options and the window ask for.
  void add_attention(const AttentionCacheShape& shape);
  void add_state();

  // Layer `index`, which must have been added as such.
  AttentionCache& attention(size_t index);
  StateCache& state(size_t index);

  int length() const { return layers_.empty() ? 0 : layers_.front()->length(); }
  // Whether every layer can go back to its first `length` tokens.
  bool can_trim(int length) const;
  void trim(int length);
  // All that is to be evaluated for the cache to depend on no pending work.
  std::vector<mx::array> arrays() const;

 private:
  CacheOptions options_;
  std::vector<std::unique_ptr<LayerCache>> layers_;
};

}  // namespace llm_host
