#include "models/lfm2_base.h"

#include <algorithm>

#include "common/size_limits.h"
#include "layers/recurrent/short_conv.h"

namespace llm_host {
namespace {

// From layer_types, or the older full_attn_idxs; without either all are attention.
std::vector<std::string> lfm2_layer_types(const Config& config, int layers) {
  std::vector<std::string> types = layer_types(config, layers, {"full_attention", "conv"});
  if (!types.empty()) return types;
  types.assign(static_cast<size_t>(layers), "full_attention");
  if (!config.has("full_attn_idxs")) return types;
  std::vector<double> attention = config.numbers("full_attn_idxs");
  for (int i = 0; i < layers; ++i) {
    bool found = std::find(attention.begin(), attention.end(), i) != attention.end();
    if (!found) types[static_cast<size_t>(i)] = "conv";
  }
  return types;
}

}  // namespace

Lfm2Base::Lfm2Base(const Config& config)
    : decoder(config, {.max_positions = 128000, .eps = 1e-5, .eps_key = "norm_eps"}) {
  DecoderConfig& c = decoder;
  c.qk_norm = QkNorm::kHeads;
  c.ropes = ropes_of(config, c, {}, config.number_or("theta", 1e6));
  c.names = {.mixer_norm = "operator_norm",
             .feed_forward_norm = "ffn_norm",
             .final_norm = "model.embedding_norm",
             .output = "out_proj",
             .query_norm = "q_layernorm",
             .key_norm = "k_layernorm"};
  std::vector<std::string> types = lfm2_layer_types(config, c.layers);
  int kernel = size_or(config, "conv_L_cache", 3, 1024);
  bool bias = config.boolean_or("conv_bias", false);
  parts.state_mixer = [=, hidden = c.hidden](WeightStore& store, const std::string& path,
                                             int layer) -> StateMixer {
    if (types[static_cast<size_t>(layer)] != "conv") return nullptr;
    return ShortConv(store, path + ".conv", hidden, kernel, bias);
  };
}

FeedForward Lfm2Base::dense(WeightStore& weights, const std::string& path, int intermediate) const {
  MlpOptions options{decoder.hidden, intermediate};
  std::string mlp = path + ".feed_forward";
  // MLX's converter renames them for lfm2_moe, but not for lfm2.
  if (weights.has(mlp + ".w1.weight")) {
    options.gate = "w1";
    options.up = "w3";
    options.down = "w2";
  }
  return Mlp(weights, mlp, options);
}

}  // namespace llm_host
