#include "common/error.h"
#include "models/decoder.h"
#include "models/gemma.h"

namespace llm_host {
namespace {

bool sees_both_ways(const Config& config, const WeightStore& weights) {
  bool both_ways = config.boolean_or("use_bidirectional_attention", false);
  if (both_ways && !weights.encodes()) {
    throw Error(kModelUnsupported,
                "config.json: use_bidirectional_attention is not supported: such a model encodes "
                "text and does not generate it");
  }
  return both_ways;
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
  bool both_ways = sees_both_ways(config, weights);
  std::vector<std::string> types =
      patterned_types(config, c.layers, config.integer_or("sliding_window_pattern", 6));
  set_gemma(config, weights, c);
  c.qk_norm = QkNorm::kHeads;
  c.logit_cap = static_cast<float>(config.number_or("final_logit_softcapping", 0));
  c.windows = windows_of(config, c, types);
  c.bidirectional = both_ways;
  // As in EmbeddingGemma: half of a window to either side of a token.
  for (int& window : c.windows) {
    if (both_ways && window > 0) window = window / 2 + 1;
  }
  c.ropes = gemma_ropes(config, c, types);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(gemma3_text, make_gemma3_text);

}  // namespace llm_host
