#pragma once

#include <optional>
#include <span>

#include "kernels/packed/linear.h"
#include "weights/files/tensor_reader.h"
#include "weights/matrix.h"
#include "weights/stack_shape.h"

namespace llm_host {

// Reads a matrix of ggml blocks, or a stack of them, and rewrites it in MLX's affine form, with
// float32 scales and biases, or as mxfp4.
Matrix read_ggml_tensor(TensorReader& reader, const TensorEntry& entry);

// Reads stacks of matrices of ggml blocks straight into their packed form, on all threads, in the
// order of pack_mlx_tensors. `head_dim`: of the rotary heads whose rows are put back in order (see
// weights/unpermute.h), 0 for none. std::nullopt if the types differ, or if rows are not whole
// blocks of packed rows.
std::optional<cpu::Packed> pack_ggml_tensors(TensorReader& reader,
                                             std::span<const TensorEntry* const> stacks,
                                             const StackShape& shape, WeightArena& arena,
                                             int head_dim);

}  // namespace llm_host
