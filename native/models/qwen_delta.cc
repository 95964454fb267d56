#include "models/qwen_delta.h"

#include "common/error.h"
#include "common/size_limits.h"
#include "layers/experts/moe.h"
#include "layers/recurrent/gated_delta.h"

namespace llm_host {
namespace {

constexpr int kMaxDeltaSize = 1 << 14;
// The largest state of a layer, whose size is an int.
constexpr int64_t kMaxState = 1 << 28;

std::vector<std::string> delta_layer_types(const Config& config, int layers) {
  std::vector<std::string> types =
      layer_types(config, layers, {"full_attention", "linear_attention"});
  int every = config.integer_or("full_attention_interval", 4);
  for (int i = static_cast<int>(types.size()); i < layers; ++i) {
    types.push_back((i + 1) % every == 0 ? "full_attention" : "linear_attention");
  }
  return types;
}

GatedDelta::Shape delta_shape(const Config& config, const DecoderConfig& c) {
  GatedDelta::Shape s{.hidden = c.hidden,
                      .key_heads = size_or(config, "linear_num_key_heads", 16, kMaxDeltaSize),
                      .value_heads = size_or(config, "linear_num_value_heads", 32, kMaxDeltaSize),
                      .key_dim = size_or(config, "linear_key_head_dim", 128, kMaxDeltaSize),
                      .value_dim = size_or(config, "linear_value_head_dim", 128, kMaxDeltaSize),
                      .kernel = size_or(config, "linear_conv_kernel_dim", 4, kMaxDeltaSize),
                      .eps = c.eps,
                      .tiled = config.boolean_or("linear_value_heads_tiled", false)};
  int64_t state = int64_t{s.value_heads} * s.value_dim * s.key_dim;
  if (state > kMaxState) {
    throw Error(kModelBroken,
                "config.json: linear_num_value_heads, linear_value_head_dim and "
                "linear_key_head_dim make a state of " +
                    std::to_string(state) + " numbers");
  }
  if (s.value_heads % s.key_heads == 0) return s;
  throw Error(kModelBroken, "config.json: linear_num_value_heads (" +
                                std::to_string(s.value_heads) +
                                ") must be a multiple of linear_num_key_heads (" +
                                std::to_string(s.key_heads) + ")");
}

// Hugging Face stores the norms' weights minus 1. MLX's converter adds it, and transposes the
// convolutions at the same time.
bool norms_minus_one(const WeightStore& weights, const std::vector<std::string>& types,
                     int kernel) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] != "linear_attention") continue;
    std::vector<int64_t> shape =
        weights.shape("model.layers." + std::to_string(i) + ".linear_attn.conv1d.weight");
    return shape.size() != 3 || shape[1] != kernel;
  }
  return true;
}

}  // namespace

QwenDelta::QwenDelta(const Config& config, WeightStore& weights, int max_positions)
    : decoder(config, {.max_positions = max_positions, .head_dim = 256}) {
  DecoderConfig& c = decoder;
  std::vector<std::string> types = delta_layer_types(config, c.layers);
  GatedDelta::Shape shape = delta_shape(config, c);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = QkNorm::kHeads;
  c.output_gate = true;
  c.add_one_to_norms = norms_minus_one(weights, types, shape.kernel);
  c.ropes = ropes_of(config, c, {}, {10000, false, 0.25});
  // Heads that predict several tokens at once.
  weights.ignore("mtp.");
  parts.state_mixer = [=](WeightStore& store, const std::string& path, int layer) -> StateMixer {
    if (types[static_cast<size_t>(layer)] != "linear_attention") return nullptr;
    return GatedDelta(store, path + ".linear_attn", shape);
  };
}

FeedForward qwen_shared_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                                const std::string& path, bool normalise) {
  // transformers 5 writes num_local_experts.
  int experts = config.integer_or("num_experts", config.integer_or("num_local_experts", 256));
  Router::Options router{.kind = Router::Kind::kSoftmaxTopK,
                         .experts = experts,
                         .per_token = config.integer_or("num_experts_per_tok", 8),
                         .normalise = normalise};
  Experts::Shape shape{.experts = experts,
                       .hidden = c.hidden,
                       .intermediate = config.integer_or("moe_intermediate_size", 512)};
  Moe moe(Router(weights, path + ".mlp.gate", c.hidden, router),
          Experts(weights, path + ".mlp", shape));
  int width = config.integer_or("shared_expert_intermediate_size", 512);
  Mlp shared(weights, path + ".mlp.shared_expert", {c.hidden, width, false, c.activation});
  Linear gate = Linear::load_router(weights, path + ".mlp.shared_expert_gate", 1, c.hidden, false);
  return [=](const mx::array& x) {
    return mx::add(moe(x), mx::multiply(mx::sigmoid(gate(x)), shared(x)));
  };
}

}  // namespace llm_host
