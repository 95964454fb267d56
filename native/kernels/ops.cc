#include "kernels/ops.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/base/cpu_op.h"
#include "kernels/base/reproducible.h"
#include "kernels/base/thread_pool.h"
#include "kernels/simd/linear.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// Up to this many floats, waking the other threads costs more than they save.
constexpr int kSerialFloats = 16384;

// Runs body(row) for `rows` rows of `size` floats.
template <typename F>
void for_rows(int rows, int size, F&& body) {
  if (rows * size <= kSerialFloats) {
    for (int row = 0; row < rows; ++row) body(row);
  } else {
    parallel_for(rows, body);
  }
}

}  // namespace

bool supports(const Weight& w) {
  if (w.weight.dtype() == mx::float32) return true;
  bool known = (w.bits == 4 || w.bits == 8) && w.biases.has_value();
  return known && w.scales->dtype() == mx::float32;
}

mx::array linear(const mx::array& x, const Weight& w) {
  int rows = w.weight.shape(0);
  mx::Shape shape = x.shape();
  shape.back() = rows;
  std::vector<mx::array> inputs{x, w.weight};
  if (w.scales) inputs.insert(inputs.end(), {*w.scales, *w.biases});
  int bits = w.scales ? w.bits : 0;
  if (w.down) inputs.insert(inputs.end(), {*w.down, *w.up});
  bool adapted = w.down.has_value();
  return cpu_op("Linear", std::move(shape), std::move(inputs),
                [rows, bits, adapted, group = w.group_size, same = reproducible()](
                    const std::vector<mx::array>& in, mx::array& out) {
                  int cols = in[0].shape(-1);
                  CpuMatrix matrix{in[1].data<void>(), nullptr, nullptr, rows, cols, group, bits};
                  if (bits != 0) {
                    matrix.scales = in[2].data<float>();
                    matrix.biases = in[3].data<float>();
                  }
                  CpuLowRank low_rank;
                  if (adapted) {
                    const mx::array& down = in[in.size() - 2];
                    low_rank = {down.data<float>(), in.back().data<float>(), down.shape(0)};
                  }
                  int m = static_cast<int>(in[0].size()) / cols;
                  multiply(simd(), matrix, low_rank, in[0].data<float>(), m, same,
                           out.data<float>());
                });
}

mx::array rms_norm(const mx::array& x, const mx::array& weight, float eps) {
  return cpu_op("RmsNorm", x.shape(), {x, weight},
                [eps](const std::vector<mx::array>& in, mx::array& out) {
                  int size = in[0].shape(-1), rows = static_cast<int>(in[0].size()) / size;
                  const float *x = in[0].data<float>(), *weight = in[1].data<float>();
                  float* y = out.data<float>();
                  for_rows(rows, size, [=](int row) {
                    int64_t at = static_cast<int64_t>(row) * size;
                    simd().rms_norm(x + at, weight, size, eps, y + at);
                  });
                });
}

mx::array layer_norm(const mx::array& x, const mx::array& weight,
                     const std::optional<mx::array>& bias, float eps) {
  std::vector<mx::array> inputs{x, weight};
  if (bias) inputs.push_back(*bias);
  return cpu_op("LayerNorm", x.shape(), std::move(inputs),
                [eps](const std::vector<mx::array>& in, mx::array& out) {
                  int size = in[0].shape(-1), rows = static_cast<int>(in[0].size()) / size;
                  const float *x = in[0].data<float>(), *weight = in[1].data<float>();
                  const float* bias = in.size() > 2 ? in[2].data<float>() : nullptr;
                  float* y = out.data<float>();
                  for_rows(rows, size, [=](int row) {
                    int64_t at = static_cast<int64_t>(row) * size;
                    float mean = std::accumulate(x + at, x + at + size, 0.0f) / size;
                    for (int i = 0; i < size; ++i) y[at + i] = x[at + i] - mean;
                    simd().rms_norm(y + at, weight, size, eps, y + at);
                    for (int i = 0; bias != nullptr && i < size; ++i) y[at + i] += bias[i];
                  });
                });
}

namespace {

using GateKernel = void (*)(const float* gate, const float* up, int n, float* out);

mx::array gated(const char* name, GateKernel kernel, const mx::array& gate, const mx::array& up) {
  return cpu_op(name, gate.shape(), {gate, up},
                [kernel](const std::vector<mx::array>& in, mx::array& out) {
                  int size = in[0].shape(-1), rows = static_cast<int>(in[0].size()) / size;
                  const float *gate = in[0].data<float>(), *up = in[1].data<float>();
                  float* y = out.data<float>();
                  for_rows(rows, size, [=](int row) {
                    int64_t at = static_cast<int64_t>(row) * size;
                    kernel(gate + at, up + at, size, y + at);
                  });
                });
}

}  // namespace

mx::array swiglu(const mx::array& gate, const mx::array& up) {
  return gated("SwiGlu", simd().swiglu, gate, up);
}

mx::array geglu(const mx::array& gate, const mx::array& up) {
  return gated("GeGlu", simd().geglu, gate, up);
}

mx::array gelu_tanh(const mx::array& x) {
  return cpu_op("Gelu", x.shape(), {x}, [](const std::vector<mx::array>& in, mx::array& out) {
    int size = in[0].shape(-1), rows = static_cast<int>(in[0].size()) / size;
    const float* x = in[0].data<float>();
    float* y = out.data<float>();
    std::vector<float> ones(static_cast<size_t>(size), 1.0f);
    for_rows(rows, size, [&](int row) {
      int64_t at = static_cast<int64_t>(row) * size;
      simd().geglu(x + at, ones.data(), size, y + at);
    });
  });
}

mx::array relu_squared(const mx::array& x) {
  return cpu_op("Relu2", x.shape(), {x}, [](const std::vector<mx::array>& in, mx::array& out) {
    int size = in[0].shape(-1), rows = static_cast<int>(in[0].size()) / size;
    const float* x = in[0].data<float>();
    float* y = out.data<float>();
    for_rows(rows, size, [=](int row) {
      for (int64_t i = static_cast<int64_t>(row) * size, end = i + size; i < end; ++i) {
        y[i] = x[i] > 0 ? x[i] * x[i] : 0;
      }
    });
  });
}

mx::array xielu(const mx::array& x, const mx::array& p) {
  return cpu_op("XieLu", x.shape(), {x, p}, [](const std::vector<mx::array>& in, mx::array& out) {
    int size = in[0].shape(-1), rows = static_cast<int>(in[0].size()) / size;
    const float *x = in[0].data<float>(), *p = in[1].data<float>();
    float positive = p[0], negative = p[1], beta = p[2], eps = p[3];
    float* y = out.data<float>();
    for_rows(rows, size, [=](int row) {
      for (int64_t i = static_cast<int64_t>(row) * size, end = i + size; i < end; ++i) {
        float bend =
            x[i] > 0 ? positive * x[i] * x[i] : negative * (std::expm1(std::min(x[i], eps)) - x[i]);
        y[i] = bend + beta * x[i];
      }
    });
  });
}

}  // namespace llm_host::cpu
