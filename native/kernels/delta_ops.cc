#include "kernels/delta_ops.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/cpu_op.h"
#include "kernels/base/thread_pool.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// Added to the sum of squares before a root, as in transformers.
constexpr float kEps = 1e-6f;

struct Scan {
  DeltaShape shape;
  int length;
  const float *qkv, *decay, *beta, *before;
  float *y, *states;

  int key_width() const { return shape.key_heads * shape.key_dim; }
  int value_width() const { return shape.value_heads * shape.value_dim; }
};

// out = x · factor / |x|
void normalise(const float* x, int size, float factor, float* out) {
  float square;
  simd().dots(x, size, 1, x, size, 1, size, &square, 1);
  float scale = factor / std::sqrt(square + kEps);
  for (int i = 0; i < size; ++i) out[i] = x[i] * scale;
}

// All steps of one value head: its state [value_dim, key_dim] before and after them.
void scan_head(const Scan& scan, int head) {
  const DeltaShape& s = scan.shape;
  int width = 2 * scan.key_width() + scan.value_width();
  int key_head = s.tiled ? head % s.key_heads : head / (s.value_heads / s.key_heads);
  int q_at = key_head * s.key_dim;
  int size = s.value_dim * s.key_dim;
  float* states = scan.states + static_cast<int64_t>(head) * size;
  std::copy_n(scan.before + static_cast<int64_t>(head) * size, size, states);
  std::vector<float> q(static_cast<size_t>(s.key_dim)), k(q.size());
  std::vector<float> seen(static_cast<size_t>(s.value_dim));
  for (int t = 0; t < scan.length; ++t) {
    const float* row = scan.qkv + static_cast<int64_t>(t) * width;
    const float* v = row + 2 * scan.key_width() + head * s.value_dim;
    normalise(row + q_at, s.key_dim, 1 / std::sqrt(static_cast<float>(s.key_dim)), q.data());
    normalise(row + scan.key_width() + q_at, s.key_dim, 1, k.data());
    float decay = scan.decay[t * s.value_heads + head], beta = scan.beta[t * s.value_heads + head];
    simd().dots(k.data(), s.key_dim, 1, states, s.key_dim, s.value_dim, s.key_dim, seen.data(),
                s.value_dim);
    for (int p = 0; p < s.value_dim; ++p) {
      float change = beta * (v[p] - decay * seen[static_cast<size_t>(p)]);
      simd().blend(decay, states + p * s.key_dim, change, k.data(), s.key_dim);
    }
    float* y = scan.y + static_cast<int64_t>(t) * scan.value_width() + head * s.value_dim;
    simd().dots(q.data(), s.key_dim, 1, states, s.key_dim, s.value_dim, s.key_dim, y, s.value_dim);
  }
}

}  // namespace

std::pair<mx::array, mx::array> delta_scan(const mx::array& qkv, const mx::array& decay,
                                           const mx::array& beta, const mx::array& states,
                                           const DeltaShape& shape) {
  int length = qkv.shape(1), width = shape.value_heads * shape.value_dim;
  int outputs = length * width, held = width * shape.key_dim;
  // One array holds both results, since a CpuOp has one output; each part of it is contiguous.
  mx::array both =
      cpu_op("DeltaScan", {outputs + held}, {qkv, decay, beta, states},
             [shape, length, outputs](const std::vector<mx::array>& in, mx::array& out) {
               Scan scan{shape,
                         length,
                         in[0].data<float>(),
                         in[1].data<float>(),
                         in[2].data<float>(),
                         in[3].data<float>(),
                         out.data<float>(),
                         out.data<float>() + outputs};
               parallel_for(shape.value_heads, [&](int head) { scan_head(scan, head); });
             });
  mx::array y = mx::reshape(mx::slice(both, {0}, {outputs}), {1, length, width});
  mx::array next = mx::reshape(mx::slice(both, {outputs}, {outputs + held}), states.shape());
  return {y, next};
}

}  // namespace llm_host::cpu
