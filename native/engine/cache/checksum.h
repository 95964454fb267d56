#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// 64 bits that change with any single word of `data`; no defence against forgery.
uint64_t checksum(const void* data, size_t size, uint64_t seed);

// Checksum of a tensor that is computed and row-contiguous: its name, type, shape and data. Those
// of several tensors are added up, in any order.
uint64_t checksum(const std::string& name, const mx::array& tensor);

}  // namespace llm_host
