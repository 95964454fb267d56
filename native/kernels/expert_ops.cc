#include "kernels/expert_ops.h"

#include <algorithm>

#include "kernels/base/cpu_op.h"
#include "kernels/base/reproducible.h"
#include "kernels/base/thread_pool.h"
#include "kernels/expert_routes.h"
#include "kernels/simd/linear.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// An ExpertWeight by the indices of its arrays among an operation's inputs.
struct Slot {
  int weight;  // scales and biases, if any, follow it
  int bias;    // -1: none
  int group_size;
  int bits;
  bool reproducible;
};

Slot add_inputs(const ExpertWeight& w, std::vector<mx::array>& inputs) {
  Slot slot{static_cast<int>(inputs.size()), -1, w.group_size, w.scales ? w.bits : 0,
            reproducible()};
  inputs.push_back(w.weight);
  if (w.scales) inputs.insert(inputs.end(), {*w.scales, *w.biases});
  if (w.bias) {
    slot.bias = static_cast<int>(inputs.size());
    inputs.push_back(*w.bias);
  }
  return slot;
}

// y [m, rows] = x [m, cols] · W_eᵀ + bias_e.
void multiply_expert(const std::vector<mx::array>& in, const Slot& slot, int expert, int cols,
                     const float* x, int m, float* y) {
  const mx::array& weight = in[slot.weight];
  int rows = weight.shape(1);
  size_t size = static_cast<size_t>(rows) * weight.shape(2) * weight.itemsize();
  CpuMatrix matrix{weight.data<uint8_t>() + expert * size,
                   nullptr,
                   nullptr,
                   rows,
                   cols,
                   slot.group_size,
                   slot.bits};
  if (slot.bits != 0) {
    int64_t groups = static_cast<int64_t>(rows) * (cols / slot.group_size);
    matrix.scales = in[slot.weight + 1].data<float>() + expert * groups;
    matrix.biases = in[slot.weight + 2].data<float>() + expert * groups;
  }
  multiply(simd(), matrix, {}, x, m, slot.reproducible, y);
  if (slot.bias < 0) return;
  const float* bias = in[slot.bias].data<float>() + static_cast<int64_t>(expert) * rows;
  for (int64_t i = 0; i < m; ++i) {
    for (int row = 0; row < rows; ++row) y[i * rows + row] += bias[row];
  }
}

}  // namespace

bool supports(const ExpertWeight& w) {
  const std::optional<mx::array> none;
  return supports(Weight{w.weight, w.scales, w.biases, w.group_size, w.bits, none, none});
}

mx::array experts(const mx::array& x, const mx::array& ids, const mx::array& routing_weights,
                  const ExpertWeight& gate_up, const ExpertWeight& down,
                  ExpertActivation activation) {
  std::vector<mx::array> inputs{x, ids, routing_weights};
  Slot first = add_inputs(gate_up, inputs), second = add_inputs(down, inputs);
  auto body = [first, second, activation](const std::vector<mx::array>& in, mx::array& out) {
    int hidden = in[0].shape(-1), wide = in[first.weight].shape(1), width = activation.width(wide);
    int tokens = static_cast<int>(in[1].size()) / in[1].shape(-1);
    int experts = in[first.weight].shape(0);
    std::vector<Route> routes = routes_of(in[1], in[2], 0, tokens, experts);
    std::fill_n(out.data<float>(), out.size(), 0.0f);
    std::vector<float> rows, middle, active, result;
    for (size_t begin = 0, end = 0; begin < routes.size(); begin = end) {
      while (end < routes.size() && routes[end].expert == routes[begin].expert) ++end;
      int expert = static_cast<int>(routes[begin].expert), m = static_cast<int>(end - begin);
      rows.resize(static_cast<size_t>(m) * hidden);
      middle.resize(static_cast<size_t>(m) * wide);
      active.resize(static_cast<size_t>(m) * width);
      result.resize(rows.size());
      for (int64_t i = 0; i < m; ++i) {
        const float* source = in[0].data<float>() + routes[begin + i].token * int64_t{hidden};
        std::copy_n(source, hidden, rows.data() + i * hidden);
      }
      multiply_expert(in, first, expert, hidden, rows.data(), m, middle.data());
      parallel_for(m, [&](int i) {
        activate(activation, middle.data() + i * int64_t{wide}, width,
                 active.data() + i * int64_t{width});
      });
      multiply_expert(in, second, expert, width, active.data(), m, result.data());
      for (int64_t i = 0; i < m; ++i) {
        const Route& route = routes[begin + i];
        float* y = out.data<float>() + route.token * int64_t{hidden};
        for (int c = 0; c < hidden; ++c) y[c] += route.weight * result[i * hidden + c];
      }
    }
  };
  return cpu_op("Experts", x.shape(), std::move(inputs), std::move(body));
}

}  // namespace llm_host::cpu
