#include "models/decoder.h"
#include "models/gemma.h"

namespace llm_host {
namespace {

// 0 if config.json says null.
float cap_of(const Config& config, const char* key, double missing) {
  bool off = config.mentions(key) && !config.has(key);
  return off ? 0 : positive_or(config, key, missing);
}

}  // namespace

// gemma3 without norms of q and k, with caps on scores and logits, and windows in every other
// layer, which mlx-lm ignores.
static std::unique_ptr<Model> make_gemma2(const Config& config, WeightStore& weights,
                                          int context_length) {
  DecoderConfig c(config, {.max_positions = 8192,
                           .head_dim = 256,
                           .activation_key = "hidden_activation",
                           .activation = "gelu_pytorch_tanh"});
  set_gemma(config, weights, c);
  c.score_cap = cap_of(config, "attn_logit_softcapping", 50);
  c.logit_cap = cap_of(config, "final_logit_softcapping", 30);
  std::vector<std::string> types = patterned_types(config, c.layers, 2);
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == "sliding_attention") c.windows[i] = config.integer_or("sliding_window", 4096);
  }
  c.ropes = ropes_of(config, c, {}, 10000);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(gemma2, make_gemma2);

}  // namespace llm_host
