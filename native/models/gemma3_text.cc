#include <cmath>

#include "common/error.h"
#include "models/decoder.h"

namespace llm_host {
namespace {

std::vector<std::string> types_of(const Config& config, int layers) {
  std::vector<std::string> types = layer_types(config, layers, kAttentionTypes);
  if (!types.empty()) return types;
  int pattern = config.integer_or("sliding_window_pattern", 6);
  for (int i = 0; i < layers; ++i) {
    types.push_back((i + 1) % pattern == 0 ? "full_attention" : "sliding_attention");
  }
  return types;
}

// rope_scaling applies to the full layers only; the others rotate faster, unscaled.
std::vector<std::shared_ptr<const Rope>> gemma_ropes(const Config& config, const DecoderConfig& c,
                                                     const std::vector<std::string>& types) {
  RopeOptions full{.head_dim = c.head_dim, .max_positions = c.max_positions, .theta = 1000000};
  full.layer_type = "full_attention";
  RopeOptions sliding{.head_dim = c.head_dim, .max_positions = c.max_positions, .theta = 10000};
  sliding.theta_key = "rope_local_base_freq";
  sliding.layer_type = "sliding_attention";
  sliding.only_own = true;
  auto full_rope = std::make_shared<const Rope>(config, full);
  auto sliding_rope = std::make_shared<const Rope>(config, sliding);
  std::vector<std::shared_ptr<const Rope>> ropes;
  for (const std::string& type : types) {
    ropes.push_back(type == "full_attention" ? full_rope : sliding_rope);
  }
  return ropes;
}

// √hidden_size, rounded to the type of the embedding as in training; mlx-lm rounds to bfloat16 even
// for float32 weights.
float embedding_factor(int hidden, mx::Dtype dtype) {
  mx::array factor(std::sqrt(static_cast<float>(hidden)));
  return mx::astype(mx::astype(factor, dtype), mx::float32).item<float>();
}

}  // namespace

// Norms before and after attention and feed-forward, all with weights 1 + w; norms of q and k;
// GELU; windows in five layers of six.
static std::unique_ptr<Model> make_gemma3_text(const Config& config, WeightStore& weights,
                                               int context_length) {
  DecoderConfig c(config, {.max_positions = 131072,
                           .head_dim = 256,
                           .activation_key = "hidden_activation",
                           .activation = "gelu_pytorch_tanh"});
  if (config.boolean_or("use_bidirectional_attention", false)) {
    throw Error(kModelUnsupported,
                "config.json: use_bidirectional_attention is not supported: such a model encodes "
                "text and does not generate it");
  }
  std::vector<std::string> types = types_of(config, c.layers);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = true;
  c.sandwich_norms = true;
  c.clips_residuals = true;
  // GGUF files hold 1 + w.
  c.add_one_to_norms = !weights.gguf();
  c.attention_scale =
      1 / std::sqrt(static_cast<float>(config.integer_or("query_pre_attn_scalar", 256)));
  c.embedding_factor = embedding_factor(c.hidden, weights.stored_dtype());
  c.logit_cap = static_cast<float>(config.number_or("final_logit_softcapping", 0));
  c.windows = windows_of(config, c, types);
  c.ropes = gemma_ropes(config, c, types);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

static const ModelFamily kFamily("gemma3_text", make_gemma3_text);

}  // namespace llm_host
