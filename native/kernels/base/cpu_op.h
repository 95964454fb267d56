#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/device_policy.h"
#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// An MLX array that `body` computes on the CPU stream when it is evaluated. Inputs must be
// row-contiguous by then. `body` may write into an input that nothing else uses.
using CpuBody = std::function<void(const std::vector<mx::array>& inputs, mx::array& out)>;

mx::array cpu_op(const char* name, mx::Shape shape, std::vector<mx::array> inputs, CpuBody body,
                 mx::Dtype dtype = mx::float32);

// Whether layers use these operations: see DevicePolicy.
namespace cpu {
inline bool usable() { return DevicePolicy::get().own_kernels(); }
}  // namespace cpu

}  // namespace llm_host
