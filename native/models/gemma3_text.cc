#include "common/error.h"
#include "models/decoder.h"
#include "models/gemma.h"

namespace llm_host {
namespace {

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
  std::vector<std::string> types =
      patterned_types(config, c.layers, config.integer_or("sliding_window_pattern", 6));
  set_gemma(config, weights, c);
  c.qk_norm = QkNorm::kHeads;
  c.logit_cap = static_cast<float>(config.number_or("final_logit_softcapping", 0));
  c.windows = windows_of(config, c, types);
  c.ropes = gemma_ropes(config, c, types);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

static const ModelFamily kFamily("gemma3_text", make_gemma3_text);

}  // namespace llm_host
