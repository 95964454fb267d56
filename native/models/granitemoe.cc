#include "layers/experts/moe.h"
#include "models/decoder.h"
#include "models/granite_experts.h"

namespace llm_host {

// granite with a mixture of experts in every layer.
static std::unique_ptr<Model> make_granitemoe(const Config& config, WeightStore& weights,
                                              int context_length) {
  DecoderConfig c(config);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.read_granite_multipliers(config);
  c.ropes = ropes_of(config, c, {}, 10000);
  auto feed_forward = [&](WeightStore& store, const std::string& path, int) -> FeedForward {
    return granite_experts(config, c, store, path + ".block_sparse_moe");
  };
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{feed_forward, nullptr});
}

MODEL_FAMILY(granitemoe, make_granitemoe, &kHeadsAndExperts);

}  // namespace llm_host
