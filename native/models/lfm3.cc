#include "common/error.h"
#include "common/size_limits.h"
#include "layers/recurrent/short_conv.h"
#include "models/decoder.h"
#include "models/layered_rope.h"

namespace llm_host {
namespace {

const Value kLfm3Rope = layered_rope(0.5);

// Where config.json has none: attention in every other layer but the first, by turns full and
// windowed.
std::vector<std::string> lfm3_layer_types(const Config& config, int layers) {
  std::vector<std::string> types =
      layer_types(config, layers, {"full_attention", "sliding_attention", "conv"});
  for (int i = static_cast<int>(types.size()); i < layers; ++i) {
    bool sliding = i % 4 == 0 && i > 0;
    types.push_back(i % 4 == 2 ? "full_attention" : sliding ? "sliding_attention" : "conv");
  }
  return types;
}

}  // namespace

// lfm2 with windows, a gate on each head's output, rotation by layer type, and norms behind each
// part of a layer too.
static std::unique_ptr<Model> make_lfm3(const Config& config, WeightStore& weights,
                                        int context_length) {
  DecoderConfig c(config,
                  {.max_positions = 128000, .eps = 1e-5, .head_dim = 128, .eps_key = "norm_eps"});
  std::vector<std::string> types = lfm3_layer_types(config, c.layers);
  bool sandwich = config.boolean_or("use_sandwich_norm", true);
  c.names.mixer_norm = "operator_norm";
  c.names.after_mixer = sandwich ? "post_operator_norm" : nullptr;
  c.names.feed_forward_norm = "ffn_norm";
  c.names.after_feed_forward = sandwich ? "post_ffn_norm" : nullptr;
  c.names.final_norm = "model.embedding_norm";
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = QkNorm::kHeads;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == "sliding_attention") c.windows[i] = config.integer_or("sliding_window", 256);
  }
  c.ropes = ropes_of(config.has("rope_parameters") ? config : Config(kLfm3Rope), c, types, 1e6);
  if (config.boolean_or("use_attention_gate", true)) {
    c.adjust_attention = [](int, AttentionOptions& options) {
      options.gate = AttentionOptions::Gate::kSigmoidHeads;
    };
  }
  int kernel = size_or(config, "conv_L_cache", 7, 1024);
  bool bias = config.boolean_or("conv_bias", false);
  DecoderParts parts;
  parts.state_mixer = [&](WeightStore& store, const std::string& path, int layer) -> StateMixer {
    if (types[static_cast<size_t>(layer)] != "conv") return nullptr;
    return ShortConv(store, path + ".conv", c.hidden, kernel, bias);
  };
  parts.feed_forward = [&](WeightStore& store, const std::string& path, int) {
    if (c.intermediate < 1) throw Error(kModelBroken, "config.json has no intermediate_size");
    MlpOptions options{c.hidden, c.intermediate};
    options.gate = "w1";
    options.up = "w3";
    options.down = "w2";
    return Mlp(store, path + ".feed_forward", options);
  };
  return std::make_unique<Decoder>(config, c, weights, context_length, parts);
}

MODEL_FAMILY(lfm3, make_lfm3);

}  // namespace llm_host
