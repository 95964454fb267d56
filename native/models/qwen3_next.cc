#include <algorithm>

#include "models/qwen_delta.h"

namespace llm_host {

// qwen3_5_moe_text with dense layers between, and other layouts of projections and experts.
static std::unique_ptr<Model> make_qwen3_next(const Config& config, WeightStore& weights,
                                              int context_length) {
  QwenDelta base(config, weights, 32768);
  int experts = config.integer_or("num_experts", config.integer_or("num_local_experts", 512, 0), 0);
  int every = config.integer_or("decoder_sparse_step", 1);
  bool normalise = config.boolean_or("norm_topk_prob", true);
  std::vector<double> dense;
  if (config.has("mlp_only_layers")) dense = config.numbers("mlp_only_layers");
  base.parts.feed_forward = [&](WeightStore& store, const std::string& path, int layer) {
    bool sparse = experts > 0 && (layer + 1) % every == 0 &&
                  std::find(dense.begin(), dense.end(), layer) == dense.end();
    return sparse ? qwen_shared_experts(config, base.decoder, store, path, normalise)
                  : dense_feed_forward(base.decoder, store, path);
  };
  return std::make_unique<Decoder>(config, base.decoder, weights, context_length, base.parts);
}

MODEL_FAMILY(qwen3_next, make_qwen3_next);

}  // namespace llm_host
