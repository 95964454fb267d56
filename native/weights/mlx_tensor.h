#pragma once

#include <optional>
#include <span>

#include "kernels/packed/linear.h"
#include "weights/files/tensor_reader.h"
#include "weights/quantize/quantization.h"
#include "weights/stack_shape.h"

namespace llm_host {

// A matrix in a file, dense or as MLX quantizes it, or a stack of them.
struct MlxTensor {
  const TensorEntry* weight;
  const TensorEntry* scales = nullptr;  // quantized ones only
  const TensorEntry* biases = nullptr;  // mode affine only
  Quantization quantization = {};       // bits 0: dense
};

// Reads stacks of matrices straight into their packed form, on all threads: of each expert first
// the rows of its matrix in the first stack, then those of the second, and so on. std::nullopt if
// there are no kernels for them, if they are not stored alike, or if rows are not whole blocks.
std::optional<cpu::Packed> pack_mlx_tensors(TensorReader& reader, std::span<const MlxTensor> stacks,
                                            const StackShape& shape, WeightArena& arena);

}  // namespace llm_host
