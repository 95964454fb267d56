#include "models/gemma4.h"

namespace llm_host {

// Gemma 4 12B, which has neither embeddings for each layer nor experts.
static std::unique_ptr<Model> make_gemma4_unified_text(const Config& config, WeightStore& weights,
                                                       int context_length) {
  return make_gemma4(config, weights, context_length, {262144, 1024, 0});
}

static const ModelFamily kFamily("gemma4_unified_text", make_gemma4_unified_text);

}  // namespace llm_host
