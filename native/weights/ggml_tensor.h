#pragma once

#include "kernels/packed/linear.h"
#include "weights/files/tensor_reader.h"
#include "weights/matrix.h"

namespace llm_host {

// Reads a matrix of ggml blocks and rewrites it in MLX's affine form, with float32 scales and
// biases.
Matrix read_ggml_tensor(TensorReader& reader, const TensorEntry& entry);

// Reads a matrix of ggml blocks straight into its packed form, on all threads. `head_dim`: of the
// rotary heads whose rows are put back in order (see weights/unpermute.h), 0 for none.
cpu::Packed pack_ggml_tensor(TensorReader& reader, const TensorEntry& entry, WeightArena& arena,
                             int head_dim);

}  // namespace llm_host
