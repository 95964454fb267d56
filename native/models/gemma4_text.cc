#include "models/gemma4.h"

namespace llm_host {

// Gemma 4 E2B, E4B, 26B-A4B and 31B.
static std::unique_ptr<Model> make_gemma4_text(const Config& config, WeightStore& weights,
                                               int context_length) {
  return make_gemma4(config, weights, context_length, {131072, 512, 256});
}

static const ModelFamily kFamily("gemma4_text", make_gemma4_text);

}  // namespace llm_host
