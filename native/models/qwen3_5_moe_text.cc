#include "models/qwen_delta.h"

namespace llm_host {

// qwen3_5_text with a mixture of experts in each layer, whose weights always add up to 1.
static std::unique_ptr<Model> make_qwen3_5_moe_text(const Config& config, WeightStore& weights,
                                                    int context_length) {
  QwenDelta base(config, weights, 32768);
  base.parts.feed_forward = [&](WeightStore& store, const std::string& path, int) {
    return qwen_shared_experts(config, base.decoder, store, path, true);
  };
  return std::make_unique<Decoder>(config, base.decoder, weights, context_length, base.parts);
}

MODEL_FAMILY(qwen3_5_moe_text, make_qwen3_5_moe_text);

}  // namespace llm_host
