#pragma once

#include "layers/mlp.h"

namespace llm_host {

// A gated network of which only gates far above their mean count: those of the given share that are
// nearest to it or below become 0.
class SparseMlp {
 public:
  // Reads `path`.{gate_proj, up_proj, down_proj}. `share`: above 0 and below 1.
  SparseMlp(WeightStore& weights, const std::string& path, const MlpOptions& options, double share);

  // x [1, L, hidden] -> [1, L, hidden]
  mx::array operator()(const mx::array& x) const;

 private:
  Activation activation_;
  Linear gate_, up_, down_;
  float deviations_;  // from the mean to the cut, in standard deviations
};

}  // namespace llm_host
