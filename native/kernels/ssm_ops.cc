#include "kernels/ssm_ops.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/cpu_op.h"
#include "kernels/base/thread_pool.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

struct Scan {
  SsmShape shape;
  int length;
  const float *xbc, *dt, *a, *d, *before;
  float *y, *states;
};

// All steps of one head: its state [head_dim, state] before and after them.
void scan_head(const Scan& scan, int head) {
  const SsmShape& s = scan.shape;
  int inner = s.heads * s.head_dim, width = inner + 2 * s.groups * s.state;
  int b_at = inner + head / (s.heads / s.groups) * s.state, c_at = b_at + s.groups * s.state;
  int size = s.head_dim * s.state;
  float* states = scan.states + static_cast<int64_t>(head) * size;
  std::copy_n(scan.before + static_cast<int64_t>(head) * size, size, states);
  for (int t = 0; t < scan.length; ++t) {
    const float* row = scan.xbc + static_cast<int64_t>(t) * width;
    const float *x = row + head * s.head_dim, *b = row + b_at, *c = row + c_at;
    float* y = scan.y + static_cast<int64_t>(t) * inner + head * s.head_dim;
    float dt = scan.dt[t * s.heads + head], decay = std::exp(dt * scan.a[head]);
    for (int p = 0; p < s.head_dim; ++p) {
      simd().blend(decay, states + p * s.state, dt * x[p], b, s.state);
    }
    simd().dots(c, s.state, 1, states, s.state, s.head_dim, s.state, y, s.head_dim);
    for (int p = 0; p < s.head_dim; ++p) y[p] += scan.d[head] * x[p];
  }
}

struct Convolution {
  int kernel, channels;
  const float *x, *weight, *bias;  // bias may be null
  bool silu;
};

// y [channels] of one time step.
void convolve(const Convolution& conv, int64_t step, float* y) {
  int channels = conv.channels;
  if (conv.bias != nullptr) {
    std::copy_n(conv.bias, channels, y);
  } else {
    std::fill_n(y, channels, 0.0f);
  }
  for (int k = 0; k < conv.kernel; ++k) {
    const float *x = conv.x + (step + k) * channels, *weight = conv.weight + k * channels;
    for (int c = 0; c < channels; ++c) y[c] += weight[c] * x[c];
  }
  if (!conv.silu) return;
  constexpr int kPart = 256;
  static const std::vector<float> ones(kPart, 1.0f);
  for (int c = 0; c < channels; c += kPart) {
    simd().swiglu(y + c, ones.data(), std::min(kPart, channels - c), y + c);
  }
}

}  // namespace

mx::array depthwise_conv(const mx::array& x, const mx::array& weight,
                         const std::optional<mx::array>& bias, bool silu) {
  int kernel = weight.shape(0), channels = weight.shape(1), length = x.shape(1) - kernel + 1;
  std::vector<mx::array> inputs{x, weight};
  if (bias) inputs.push_back(*bias);
  auto body = [=](const std::vector<mx::array>& in, mx::array& out) {
    Convolution conv{kernel,
                     channels,
                     in[0].data<float>(),
                     in[1].data<float>(),
                     in.size() > 2 ? in[2].data<float>() : nullptr,
                     silu};
    float* y = out.data<float>();
    auto step = [&](int t) { convolve(conv, t, y + static_cast<int64_t>(t) * channels); };
    if (length == 1) {
      step(0);
    } else {
      parallel_for(length, step);
    }
  };
  return cpu_op("DepthwiseConv", {1, length, channels}, std::move(inputs), std::move(body));
}

std::pair<mx::array, mx::array> ssm_scan(const mx::array& xbc, const mx::array& dt,
                                         const mx::array& a, const mx::array& d,
                                         const mx::array& states, const SsmShape& shape) {
  int length = xbc.shape(1), inner = shape.heads * shape.head_dim;
  int outputs = length * inner, held = inner * shape.state;
  // One array holds both results, since a CpuOp has one output; each part of it is contiguous.
  mx::array both =
      cpu_op("SsmScan", {outputs + held}, {xbc, dt, a, d, states},
             [shape, length, outputs](const std::vector<mx::array>& in, mx::array& out) {
               Scan scan{shape,
                         length,
                         in[0].data<float>(),
                         in[1].data<float>(),
                         in[2].data<float>(),
                         in[3].data<float>(),
                         in[4].data<float>(),
                         out.data<float>(),
                         out.data<float>() + outputs};
               parallel_for(shape.heads, [&](int head) { scan_head(scan, head); });
             });
  mx::array y = mx::reshape(mx::slice(both, {0}, {outputs}), {1, length, inner});
  mx::array next = mx::reshape(mx::slice(both, {outputs}, {outputs + held}), states.shape());
  return {y, next};
}

}  // namespace llm_host::cpu
