#pragma once

#include <vector>

#include "common/value.h"

namespace llm_host {

// Which layers have experts: mlp_layer_types, or all but the first `dense`.
std::vector<bool> sparse_layers(const Config& config, int layers, int dense);

}  // namespace llm_host
