#pragma once

#include "mlx/mlx.h"

namespace llm_host::cpu {

namespace mx = mlx::core;

// A product for each head with a matrix of its own; see kernels/ops.h. x [1, L, heads · n], of
// whose n values a head takes those from `offset` on; weight [heads, out, in], float32 or float16
// -> [1, L, heads, out]. A row has the same bits whatever L is.
mx::array head_products(const mx::array& x, const mx::array& weight, int offset);

}  // namespace llm_host::cpu
