#pragma once

#include "layers/linear.h"
#include "layers/recurrent/causal_conv.h"

namespace llm_host {

// LFM2's gated convolution: out(C · conv(B · x)), where B, C and x are the thirds of in(input). No
// activation.
class ShortConv {
 public:
  // Reads `path`.{in_proj, conv, out_proj}; `bias`: all three have one. `kernel`: tokens that an
  // output sees.
  ShortConv(WeightStore& weights, const std::string& path, int hidden, int kernel, bool bias);

  // x [1, L, hidden] -> [1, L, hidden]
  mx::array operator()(const mx::array& x, StateCache& cache) const;

 private:
  Linear input_;
  CausalConv conv_;
  Linear output_;
};

}  // namespace llm_host
