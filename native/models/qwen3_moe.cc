#include <algorithm>

#include "layers/experts/moe.h"
#include "models/decoder.h"

namespace llm_host {

// qwen3 with a mixture of experts in the layers that decoder_sparse_step selects and
// mlp_only_layers does not list. Reads rope_scaling, attention_bias and sliding_window as
// transformers does; mlx-lm ignores them.
static std::unique_ptr<Model> make_qwen3_moe(const Config& config, WeightStore& weights,
                                             int context_length) {
  DecoderConfig c(config, {.max_positions = 32768});
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = QkNorm::kHeads;
  c.ropes = ropes_of(config, c, {}, 10000);
  if (config.boolean_or("use_sliding_window", false)) {
    c.windows.assign(c.windows.size(), config.integer_or("sliding_window", 4096));
  }

  // transformers 5 writes num_local_experts.
  int experts = config.integer_or("num_experts", config.integer_or("num_local_experts", 128, 0), 0);
  int every = config.integer_or("decoder_sparse_step", 1);
  std::vector<double> dense;
  if (config.has("mlp_only_layers")) dense = config.numbers("mlp_only_layers");
  Router::Options router{.kind = Router::Kind::kSoftmaxTopK,
                         .experts = experts,
                         .per_token = config.integer_or("num_experts_per_tok", 8),
                         .normalise = config.boolean_or("norm_topk_prob", false)};
  Experts::Shape shape{.experts = experts,
                       .hidden = c.hidden,
                       .intermediate = config.integer_or("moe_intermediate_size", 768)};
  auto feed_forward = [&](WeightStore& store, const std::string& path, int layer) -> FeedForward {
    bool sparse = experts > 0 && (layer + 1) % every == 0 &&
                  std::find(dense.begin(), dense.end(), layer) == dense.end();
    if (!sparse) return dense_feed_forward(c, store, path);
    return Moe(Router(store, path + ".mlp.gate", c.hidden, router),
               Experts(store, path + ".mlp", shape));
  };
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{feed_forward, nullptr});
}

MODEL_FAMILY(qwen3_moe, make_qwen3_moe, &kHeadsNetworkAndExperts);

}  // namespace llm_host
