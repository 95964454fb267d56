#pragma once

#include "layers/linear.h"

namespace llm_host {

// SwiGLU: down(silu(gate x) · up x).
class Mlp {
 public:
  // Reads `path`.{gate,up,down}_proj.
  Mlp(WeightStore& weights, const std::string& path, int hidden, int intermediate, bool bias);

  // x [1, L, hidden] -> [1, L, hidden]
  mx::array operator()(const mx::array& x) const;

 private:
  Linear gate_, up_, down_;
};

}  // namespace llm_host
