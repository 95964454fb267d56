#pragma once

#include "weights/files/tensor_reader.h"
#include "weights/matrix.h"

namespace llm_host {

// Reads a tensor [out, in] of ggml blocks as an affine matrix with float32 scales and biases.
// Throws MODEL_BROKEN if its rows are not whole blocks.
Matrix read_ggml_tensor(TensorReader& reader, const TensorEntry& entry);

}  // namespace llm_host
