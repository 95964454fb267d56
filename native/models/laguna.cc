#include <algorithm>

#include "common/error.h"
#include "common/size_limits.h"
#include "layers/experts/moe.h"
#include "models/decoder.h"
#include "models/sparse_layers.h"

namespace llm_host {
namespace {

constexpr int kMaxLayerHeads = 1 << 12;

// The default of transformers.
const Value& laguna_rope() {
  auto kind = [](double theta, double part) {
    return Value(Value::Object{{"rope_type", Value(std::string("default"))},
                               {"rope_theta", Value(theta)},
                               {"partial_rotary_factor", Value(part)}});
  };
  static const Value kDefault(Value::Object{
      {"rope_parameters", Value(Value::Object{{"full_attention", kind(500000, 0.5)},
                                              {"sliding_attention", kind(10000, 1)}})}});
  return kDefault;
}

// num_attention_heads_per_layer, or num_attention_heads for each.
std::vector<int> heads_of(const Config& config, const DecoderConfig& c) {
  constexpr char kKey[] = "num_attention_heads_per_layer";
  if (!config.has(kKey)) return std::vector<int>(static_cast<size_t>(c.layers), c.heads);
  std::vector<double> given = config.numbers(kKey);
  bool fits = given.size() == static_cast<size_t>(c.layers) &&
              std::all_of(given.begin(), given.end(), [&](double heads) {
                return heads >= c.kv_heads && heads <= kMaxLayerHeads &&
                       heads == c.kv_heads * static_cast<int>(heads / c.kv_heads);
              });
  if (fits) return {given.begin(), given.end()};
  throw Error(kModelBroken, std::string("config.json: ") + kKey + " must have num_hidden_layers (" +
                                std::to_string(c.layers) +
                                ") entries, each a multiple of num_key_value_heads (" +
                                std::to_string(c.kv_heads) + ")");
}

// gating: true or "per-head", "per-element", or false.
AttentionOptions::Gate gate_of(const Config& config) {
  using Gate = AttentionOptions::Gate;
  const Value* value = config.find("gating");
  const std::string* kind = value != nullptr ? value->as<std::string>() : nullptr;
  if (kind == nullptr) {
    return config.boolean_or("gating", true) ? Gate::kSoftplusHeads : Gate::kNone;
  }
  if (*kind == "per-head") return Gate::kSoftplusHeads;
  if (*kind == "per-element") return Gate::kSoftplusChannels;
  throw Error(kModelUnsupported, "config.json: gating \"" + *kind +
                                     "\" is not supported; supported are: per-head, per-element");
}

FeedForward laguna_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                           const std::string& path) {
  std::string block = path + ".mlp", bias = ".e_score_correction_bias";
  int experts = config.integer_or("num_experts", config.integer_or("num_local_experts", 256));
  // Published files have the bias beside the experts, transformers 5 beside the router.
  bool published = weights.has(block + ".experts" + bias);
  Router::Options router{
      .kind = Router::Kind::kSigmoidTopK,
      .experts = experts,
      .per_token = config.integer_or("num_experts_per_tok", 8),
      .normalise = true,
      .scale = positive_or(config, "moe_routed_scaling_factor", 1),
      .selection_bias = block + (published ? ".experts" : ".gate") + bias,
      .cap = static_cast<float>(config.number_or("moe_router_logit_softcapping", 0))};
  Experts::Shape shape{.experts = experts,
                       .hidden = c.hidden,
                       .intermediate = config.integer_or("moe_intermediate_size", 512)};
  Moe moe(Router(weights, block + ".gate", c.hidden, router), Experts(weights, block, shape));
  int width = size_or(config, "shared_expert_intermediate_size", 512, 1 << 24);
  // Published files write one name, transformers 5 the other.
  bool plural = weights.has(block + ".shared_experts.up_proj.weight");
  Mlp shared(weights, block + (plural ? ".shared_experts" : ".shared_expert"),
             {c.hidden, width, false, c.activation});
  return [=](const mx::array& x) { return mx::add(moe(x), shared(x)); };
}

}  // namespace

// Norms of q and k, a gate on each head's output, head counts and rotation by layer, windows, and
// experts beside one that every token goes through.
static std::unique_ptr<Model> make_laguna(const Config& config, WeightStore& weights,
                                          int context_length) {
  if (config.boolean_or("moe_apply_router_weight_on_input", false)) {
    throw Error(kModelUnsupported,
                "config.json: moe_apply_router_weight_on_input is not supported");
  }
  DecoderConfig c(config, {.max_positions = 131072, .head_dim = 128});
  std::vector<std::string> types = patterned_types(config, c.layers, 0);
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = QkNorm::kHeads;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == "sliding_attention") c.windows[i] = config.integer_or("sliding_window", 512);
  }
  bool own_rope = config.has("rope_parameters");
  c.ropes = ropes_of(own_rope ? config : Config(laguna_rope()), c, types, 10000);
  c.adjust_attention = [heads = heads_of(config, c), gate = gate_of(config)](
                           int layer, AttentionOptions& options) {
    options.heads = heads[static_cast<size_t>(layer)];
    options.gate = gate;
  };
  std::vector<bool> sparse = sparse_layers(config, c.layers, 1);
  auto feed_forward = [&](WeightStore& store, const std::string& path, int layer) {
    return sparse[static_cast<size_t>(layer)] ? laguna_experts(config, c, store, path)
                                              : dense_feed_forward(c, store, path);
  };
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{feed_forward, nullptr});
}

MODEL_FAMILY(laguna, make_laguna);

}  // namespace llm_host
