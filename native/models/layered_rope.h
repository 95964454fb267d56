#pragma once

#include "common/value.h"

namespace llm_host {

// The default of transformers for missing rope_parameters of Gemma 4 and LFM3: proportional
// rotation of `part` of each head in full layers, the usual one in windows.
Value layered_rope(double part);

}  // namespace llm_host
