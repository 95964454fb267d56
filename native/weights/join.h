#pragma once

#include <string>
#include <vector>

#include "weights/matrix.h"

// Several matrices as one. Throws MODEL_UNSUPPORTED unless they are quantized alike; the message
// names them by `what` and adds `where`, see TensorFiles::where.
namespace llm_host {

// Whether all are dense of one type, or quantized in the same way.
bool stored_alike(const std::vector<Matrix>& parts);

// Matrices [.., out_i, in] -> [.., Σ out_i, in]
Matrix concatenate(const std::string& what, const std::vector<Matrix>& parts,
                   const std::string& where);
// N matrices [out, in] -> [N, out, in]
Matrix stack(const std::string& what, const std::vector<Matrix>& parts, const std::string& where);

}  // namespace llm_host
