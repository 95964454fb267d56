#pragma once

#include <cstdint>
#include <vector>

#include "kernels/expert_ops.h"

namespace llm_host::cpu {

// That a token goes through an expert.
struct Route {
  uint32_t expert;
  int token;
  float weight;
};

// The routes of the tokens [begin, end), from ids and routing weights [..., k]; sorted by expert,
// so that each expert's weights are read once for all of its tokens. Without ids from `experts` on:
// those are in another process.
std::vector<Route> routes_of(const mx::array& ids, const mx::array& routing_weights, int begin,
                             int end, int experts);

// gate_up [2 · size], or [size] where there is no gate -> out [size], which may be gate_up
void activate(ExpertActivation activation, const float* gate_up, int size, float* out);

}  // namespace llm_host::cpu
