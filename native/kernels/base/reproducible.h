#pragma once

#include "common/thread_flag.h"

namespace llm_host::cpu {

// Whether the operations that this thread makes must be reproducible: each row of a result has the
// same bits as if it were computed alone, whatever the number of rows and wherever a chunk of a
// prompt begins. Most kernels always are. Those that are not are faster with many rows: matrix
// units, and float32 products with matrices that are not packed.
using ReproducibleScope = ThreadFlag<struct Reproducible, false>;

inline bool reproducible() { return ReproducibleScope::on(); }

}  // namespace llm_host::cpu
