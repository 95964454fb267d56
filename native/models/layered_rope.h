#pragma once

#include "common/value.h"

namespace llm_host {

// What transformers puts in place of missing rope_parameters for Gemma 4 and LFM3: proportional
// rotation of `part` of each head in full layers, the usual one in windows.
Value layered_rope(double part);

}  // namespace llm_host
