#pragma once

#include "models/model.h"

namespace llm_host {

// model_type llama and mistral.
std::unique_ptr<Model> make_llama(const Config& config, WeightStore& weights, int context_length);

}  // namespace llm_host
