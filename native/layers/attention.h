#pragma once

#include "layers/layer_cache.h"
#include "layers/linear.h"
#include "layers/rope.h"

namespace llm_host {

// Grouped-query self-attention over one row.
class Attention {
 public:
  struct Shape {
    int hidden;
    int heads;
    int kv_heads;
    int head_dim;
    bool bias;
    int window;  // tokens that a token sees, itself included; 0 = all before it
  };

  // Reads `path`.{q,k,v,o}_proj.
  Attention(WeightStore& weights, const std::string& path, const Shape& shape);

  // x [1, L, hidden] -> [1, L, hidden]
  mx::array operator()(const mx::array& x, const Rope& rope, AttentionCache& cache) const;

 private:
  Shape shape_;
  Linear query_, key_, value_, output_;
};

}  // namespace llm_host
