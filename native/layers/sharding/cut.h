#pragma once

#include "weights/files/weight_files.h"

namespace llm_host {

// Both throw MODEL_UNSUPPORTED where the tensor is not `count` equal parts, and MODEL_BROKEN where
// its bytes are not its shape's.

// Makes of a tensor its rows number `index` of `count`.
void cut_rows(TensorEntry& entry, int index, int count);
// As cut_rows for its columns: whole groups of weights, those of `group` if they are to be
// quantized.
void cut_columns(TensorEntry& entry, int index, int count, int group);

}  // namespace llm_host
