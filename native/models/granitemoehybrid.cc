#include "layers/experts/moe.h"
#include "models/decoder.h"
#include "models/granite_experts.h"
#include "models/mamba.h"

namespace llm_host {
namespace {

bool is_mamba(const std::string& type) { return type == "mamba" || type == "linear_attention"; }

// In the names of transformers 5 and of earlier releases. Without layer_types all are Mamba.
std::vector<std::string> granite_layer_types(const Config& config, int layers) {
  std::vector<std::string> types =
      layer_types(config, layers, {"attention", "full_attention", "mamba", "linear_attention"});
  if (types.empty()) types.assign(static_cast<size_t>(layers), "mamba");
  return types;
}

}  // namespace

// Granite 4: attention or Mamba-2 in each layer, then a shared MLP plus, if there are experts, a
// mixture of them. No positions unless position_embedding_type is "rope", as in transformers;
// mlx-lm defaults to "rope".
static std::unique_ptr<Model> make_granitemoehybrid(const Config& config, WeightStore& weights,
                                                    int context_length) {
  DecoderConfig c(config);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.read_granite_multipliers(config);
  std::vector<std::string> types = granite_layer_types(config, c.layers);
  bool rotated = config.string_or("position_embedding_type", "nope") == "rope";
  if (rotated) {
    c.ropes = ropes_of(config, c, {}, 10000);
  } else {
    c.ropes.assign(types.size(), nullptr);
  }
  int experts = config.integer_or("num_local_experts", 8, 0);
  int shared = config.integer_or("shared_intermediate_size", 1024);

  DecoderParts parts;
  if (std::any_of(types.begin(), types.end(), is_mamba)) {
    Mamba2::Shape shape =
        read_mamba(config, c, mamba_channels(config, c), "mamba_expand times hidden_size");
    parts.state_mixer = [=](WeightStore& store, const std::string& path, int i) -> StateMixer {
      if (!is_mamba(types[static_cast<size_t>(i)])) return nullptr;
      return Mamba2(store, path + ".mamba", shape);
    };
  }
  parts.feed_forward = [&](WeightStore& store, const std::string& path, int) -> FeedForward {
    // MLX's converter splits and renames the dense MLP, GGUF files have it so with experts too.
    bool renamed = store.has(path + ".mlp.gate_proj.weight");
    MlpOptions options{c.hidden, shared, false, c.activation};
    if (!renamed) {
      options.fused = "input_linear";
      options.down = "output_linear";
    }
    Mlp mlp(store, path + (renamed ? ".mlp" : ".shared_mlp"), options);
    if (experts == 0) return mlp;
    FeedForward moe = granite_experts(config, c, store, path + ".block_sparse_moe");
    return [=](const mx::array& x) { return mx::add(moe(x), mlp(x)); };
  };
  return std::make_unique<Decoder>(config, c, weights, context_length, parts);
}

MODEL_FAMILY(granitemoehybrid, make_granitemoehybrid);

}  // namespace llm_host
