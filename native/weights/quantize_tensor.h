#pragma once

#include <cstdint>
#include <vector>

#include "weights/files/tensor_reader.h"
#include "weights/matrix.h"
#include "weights/quantize/quantization.h"

namespace llm_host {

// How each [out, in] matrix of a tensor is stored: so, or as [in, out].
enum class Orientation { kNormal, kTransposed };

// Reads a float tensor of shape `dims` + [in] and quantizes it on the way, a few rows at a time, so
// that its floats are never in memory as a whole. `dims` ends with the rows of a matrix. Scales and
// biases come as float32, rounded to the tensor's type (mode affine), or scales as uint8. The
// result's `dtype` is the tensor's type.
Matrix quantize_tensor(TensorReader& reader, const TensorEntry& entry,
                       const std::vector<int64_t>& dims, int in, const Quantization& quantization,
                       Orientation orientation);

}  // namespace llm_host
