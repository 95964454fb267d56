#include "models/qwen_delta.h"

namespace llm_host {

// Qwen 3.5, 3.6 and 3.8, dense.
static std::unique_ptr<Model> make_qwen3_5_text(const Config& config, WeightStore& weights,
                                                int context_length) {
  QwenDelta base(config, weights, 32768);
  return std::make_unique<Decoder>(config, base.decoder, weights, context_length, base.parts);
}

MODEL_FAMILY(qwen3_5_text, make_qwen3_5_text);

}  // namespace llm_host
