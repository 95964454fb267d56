#pragma once

#include <cstdint>
#include <vector>

#include "mlx/mlx.h"

// Shapes as weight files have them: sizes of 64 bits.
namespace llm_host {

namespace mx = mlx::core;

inline std::vector<int64_t> with(std::vector<int64_t> dims, int64_t last) {
  dims.push_back(last);
  return dims;
}

inline int64_t product(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t size : dims) count *= size;
  return count;
}

// An array whose memory is there, but not set.
inline mx::array allocate(const std::vector<int64_t>& dims, mx::Dtype type) {
  mx::Shape shape;
  for (int64_t size : dims) shape.push_back(static_cast<int>(size));
  size_t bytes = static_cast<size_t>(product(dims)) * mx::size_of(type);
  return mx::array(mx::allocator::malloc(bytes), std::move(shape), type);
}

}  // namespace llm_host
