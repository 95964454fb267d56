#pragma once

#include <optional>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// A buffer [1, heads, slots, columns] of a cache whose first slots are `rows`. On a CPU the slots
// behind them are undefined, and take no memory, until they are written: nothing may read them.
mx::array slot_buffer(const std::optional<mx::array>& rows, const mx::Shape& shape,
                      mx::Dtype dtype);

}  // namespace llm_host
