#pragma once

#include "common/value.h"
#include "layers/recurrent/ssm.h"

namespace llm_host {

// time_step_limit: the least and the greatest time step, as numbers or as {"__float__":
// "Infinity"}. Without it the shape stays as it is. Throws MODEL_BROKEN.
void read_time_step_limit(const Config& config, Mamba2::Shape& shape);

}  // namespace llm_host
