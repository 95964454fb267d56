#pragma once

#include "weights/matrix.h"

namespace llm_host {

// GGUF files interleave the two halves of the rows of each rotary head; these put them back. rows
// [heads · head_dim, ...]
mx::array unpermute(const mx::array& rows, int heads, int head_dim);
Matrix unpermute(const Matrix& matrix, int heads, int head_dim);

}  // namespace llm_host
