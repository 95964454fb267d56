#pragma once

#include <string>

#include "layers/encoder/text_batch.h"

namespace llm_host {

// How the tokens of a text become one vector.
enum class Pooling { kMean, kFirst, kLast };

// From the sentence-transformers name: mean, cls or lasttoken. Throws MODEL_UNSUPPORTED.
Pooling pooling_of(const std::string& name);

// x [rows, columns, n] -> [texts, n]
mx::array pooled(Pooling pooling, const mx::array& x, const TextBatch& batch);

}  // namespace llm_host
