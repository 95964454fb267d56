#pragma once

#include <optional>
#include <string>

#include "mlx/mlx.h"

// The element types of safetensors files, and MLX's.
namespace llm_host {

namespace mx = mlx::core;

// F32, F16, BF16, U32, I32 and U8; nothing for others.
std::optional<mx::Dtype> dtype_of(const std::string& name);
// As `dtype_of`, for F32, F16 and BF16 alone.
std::optional<mx::Dtype> float_dtype_of(const std::string& name);
// The name of one of those types.
const char* name_of(mx::Dtype dtype);

}  // namespace llm_host
