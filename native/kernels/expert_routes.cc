#include "kernels/expert_routes.h"

#include <algorithm>
#include <cmath>

#include "kernels/simd/simd.h"

namespace llm_host::cpu {

std::vector<Route> routes_of(const mx::array& ids, const mx::array& routing_weights, int begin,
                             int end, int experts) {
  int per_token = ids.shape(-1);
  std::vector<Route> routes;
  for (int i = begin * per_token; i < end * per_token; ++i) {
    uint32_t expert = ids.data<uint32_t>()[i];
    if (expert >= static_cast<uint32_t>(experts)) continue;
    routes.push_back({expert, i / per_token, routing_weights.data<float>()[i]});
  }
  std::stable_sort(routes.begin(), routes.end(),
                   [](const Route& a, const Route& b) { return a.expert < b.expert; });
  return routes;
}

void activate(ExpertActivation activation, const float* gate_up, int size, float* out) {
  using Kind = ExpertActivation::Kind;
  const float *gate = gate_up, *up = gate_up + size;
  if (activation.kind == Kind::kGeGlu) return simd().geglu(gate, up, size, out);
  if (activation.kind == Kind::kRelu2) {
    for (int i = 0; i < size; ++i) out[i] = gate[i] > 0 ? gate[i] * gate[i] : 0;
    return;
  }
  if (activation.limit == 0) return simd().swiglu(gate, up, size, out);
  for (int i = 0; i < size; ++i) {
    float g = std::min(gate[i], activation.limit);
    float u = std::clamp(up[i], -activation.limit, activation.limit);
    out[i] = g / (1 + std::exp(-activation.alpha * g)) * (u + 1);
  }
}

}  // namespace llm_host::cpu
