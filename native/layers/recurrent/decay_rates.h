#pragma once

#include <string>

#include "weights/weight_store.h"

namespace llm_host {

// -exp(`path`.A_log) [heads] in float32; GGUF files hold it as `path`.A.
mx::array decay_rates(WeightStore& weights, const std::string& path, int heads);

}  // namespace llm_host
