#include "models/decoder_config.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "common/error.h"
#include "common/size_limits.h"

namespace llm_host {
namespace {

// Far beyond any model. Memory for some sizes is taken before a weight shows that they are wrong,
// and products of two are ints.
constexpr int kMaxWidth = 1 << 20, kMaxHeads = 1 << 12, kMaxHeadDim = 1 << 13, kMaxLayers = 1 << 12,
              kMaxVocabulary = 1 << 24, kMaxIntermediate = 1 << 24;

int head_dim_of(const Config& config, int hidden, int heads, int missing) {
  if (config.has("head_dim")) return size_of(config, "head_dim", kMaxHeadDim);
  if (missing > 0 && !config.mentions("head_dim")) return missing;
  if (hidden % heads == 0) return hidden / heads;
  throw Error(kModelBroken, "config.json: hidden_size (" + std::to_string(hidden) +
                                ") must be a multiple of num_attention_heads (" +
                                std::to_string(heads) + ") where there is no head_dim");
}

Activation read_activation(const Config& config, const DecoderDefaults& defaults) {
  if (defaults.activation_key == nullptr) return Activation::kSilu;
  std::string fallback = config.string_or("hidden_act", defaults.activation);
  return activation_of(config.string_or(defaults.activation_key, fallback));
}

}  // namespace

DecoderConfig::DecoderConfig(const Config& c, const DecoderDefaults& defaults)
    : hidden(size_of(c, "hidden_size", kMaxWidth)),
      layers(defaults.layers > 0 ? defaults.layers : size_of(c, "num_hidden_layers", kMaxLayers)),
      heads(size_of(c, "num_attention_heads", kMaxHeads)),
      kv_heads(size_or(c, "num_key_value_heads", heads, kMaxHeads)),
      head_dim(head_dim_of(c, hidden, heads, defaults.head_dim)),
      vocab(size_of(c, "vocab_size", kMaxVocabulary)),
      max_positions(c.integer_or("max_position_embeddings", defaults.max_positions)),
      eps(positive_or(c, defaults.eps_key, defaults.eps)),
      activation(read_activation(c, defaults)),
      intermediate(
          defaults.own_intermediate ? 0 : size_or(c, "intermediate_size", 0, kMaxIntermediate)),
      attention_scale(1 / std::sqrt(static_cast<float>(head_dim))),
      bidirectional(!c.boolean_or("is_causal", true)),
      windows(static_cast<size_t>(layers), 0),
      contents(static_cast<size_t>(layers), Contents::kBoth) {
  if (heads % kv_heads != 0) {
    throw Error(kModelBroken, "config.json: num_attention_heads (" + std::to_string(heads) +
                                  ") must be a multiple of num_key_value_heads (" +
                                  std::to_string(kv_heads) + ")");
  }
  if (head_dim < 2 || head_dim % 2 != 0) {
    throw Error(kModelBroken,
                "config.json: head_dim must be even, got " + std::to_string(head_dim));
  }
}

void DecoderConfig::read_granite_multipliers(const Config& config) {
  embedding_factor = positive_or(config, "embedding_multiplier", 1);
  attention_scale = positive_or(config, "attention_multiplier", 1);
  residual_factor = positive_or(config, "residual_multiplier", 1);
  logit_divisor = positive_or(config, "logits_scaling", 1);
}

AttentionOptions DecoderConfig::attention(int layer) const {
  AttentionOptions options{hidden, heads, kv_heads, head_dim, attention_scale};
  options.qkv_bias = qkv_bias;
  options.output_bias = output_bias;
  options.window = windows[static_cast<size_t>(layer)];
  options.qk_norm = qk_norm;
  options.norm = {.eps = eps, .add_one = add_one_to_norms};
  options.sinks = sinks;
  options.growth = growth;
  options.score_cap = score_cap;
  options.output_gate = output_gate;
  options.output = names.output;
  options.query_norm = names.query_norm;
  options.key_norm = names.key_norm;
  if (adjust_attention) adjust_attention(layer, options);
  return options;
}

NormOptions DecoderConfig::norm() const { return {eps, add_one_to_norms, layer_norms, norm_bias}; }

float positive_or(const Config& config, const char* key, double missing) {
  double value = config.number_or(key, missing);
  if (value > 0) return static_cast<float>(value);
  throw Error(kModelBroken, std::string("config.json: ") + key + " must be above 0, got " +
                                std::to_string(value));
}

std::vector<std::string> layer_types(const Config& config, int layers,
                                     const std::vector<std::string>& allowed) {
  if (!config.has("layer_types")) return {};
  std::vector<std::string> types = config.strings("layer_types");
  if (types.size() != static_cast<size_t>(layers)) {
    throw Error(kModelBroken, "config.json: layer_types must have num_hidden_layers (" +
                                  std::to_string(layers) + ") entries, got " +
                                  std::to_string(types.size()));
  }
  auto unknown = std::find_if(types.begin(), types.end(), [&](const std::string& type) {
    return std::find(allowed.begin(), allowed.end(), type) == allowed.end();
  });
  if (unknown == types.end()) return types;
  std::string names;
  for (const std::string& name : allowed) names += (names.empty() ? "" : ", ") + name;
  throw Error(kModelUnsupported, "config.json: layer_types has \"" + *unknown +
                                     "\", which is not supported; supported are: " + names);
}

std::vector<std::string> patterned_types(const Config& config, int layers, int pattern) {
  std::vector<std::string> types = layer_types(config, layers, kAttentionTypes);
  for (int i = static_cast<int>(types.size()); i < layers; ++i) {
    bool full = pattern == 0 || (i + 1) % pattern == 0;
    types.push_back(full ? "full_attention" : "sliding_attention");
  }
  return types;
}

std::vector<int> windows_of(const Config& config, const DecoderConfig& c,
                            const std::vector<std::string>& types) {
  std::vector<int> windows(static_cast<size_t>(c.layers), 0);
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] != "sliding_attention") continue;
    // Both ways transformers counts the tokens to one side.
    windows[i] = config.integer("sliding_window") + (c.bidirectional ? 1 : 0);
  }
  return windows;
}

std::vector<int> windows_everywhere(const Config& config, const DecoderConfig& c,
                                    const std::vector<std::string>& types, int missing) {
  if (!types.empty()) return windows_of(config, c, types);
  int window = config.integer_or("sliding_window", config.mentions("sliding_window") ? 0 : missing);
  if (c.bidirectional && window > 0) ++window;
  return std::vector<int>(static_cast<size_t>(c.layers), window);
}

std::vector<std::string> qwen_layer_types(const Config& config, int layers) {
  std::vector<std::string> types = layer_types(config, layers, kAttentionTypes);
  if (!types.empty()) return types;
  bool windows = config.boolean_or("use_sliding_window", false) && config.has("sliding_window");
  int first = windows ? config.integer_or("max_window_layers", 28, 0) : layers;
  for (int i = 0; i < layers; ++i) {
    types.push_back(i < first ? "full_attention" : "sliding_attention");
  }
  return types;
}

std::vector<std::shared_ptr<const Rope>> ropes_of(const Config& config, const DecoderConfig& c,
                                                  const std::vector<std::string>& types,
                                                  const Rotary& rotary) {
  std::vector<std::shared_ptr<const Rope>> ropes;
  std::map<std::string, std::shared_ptr<const Rope>> known;
  for (int i = 0; i < c.layers; ++i) {
    std::string type = types.empty() ? "" : types[static_cast<size_t>(i)];
    std::shared_ptr<const Rope>& rope = known[type];
    if (!rope) {
      RopeOptions options{.head_dim = c.head_dim, .max_positions = c.max_positions};
      options.theta = rotary.theta;
      options.interleaved = rotary.interleaved;
      options.part = rotary.part;
      options.layer_type = type;
      rope = std::make_shared<const Rope>(config, options);
    }
    ropes.push_back(rope);
  }
  return ropes;
}

}  // namespace llm_host
