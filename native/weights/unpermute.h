#pragma once

#include "weights/matrix.h"

namespace llm_host {

// GGUF files interleave the two halves of each rotary head's rows; these put them back. The rows of
// `heads` heads of `head_dim`, whatever is in a row.
mx::array unpermute(const mx::array& rows, int heads, int head_dim);
Matrix unpermute(const Matrix& matrix, int heads, int head_dim);

}  // namespace llm_host
