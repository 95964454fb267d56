#include <algorithm>

#include "common/error.h"
#include "common/size_limits.h"
#include "models/decoder.h"
#include "models/gemma.h"
#include "models/gemma4_experts.h"
#include "models/layered_rope.h"
#include "models/per_layer_inputs.h"
#include "models/residual.h"

namespace llm_host {
namespace {

// The values of missing keys of config.json.
struct Gemma4Defaults {
  int max_positions;
  int window;
  int per_layer_size;  // of the embeddings for each layer; 0: there are none
};

constexpr int kMaxHeadSize = 1 << 16;
constexpr size_t kMaxDigits = 4;  // of a layer's number

const Value kGemma4Rope = layered_rope(0.25);

// Five windows, then full attention; the last layer always has it.
std::vector<std::string> gemma4_layer_types(const Config& config, int layers) {
  std::vector<std::string> types = patterned_types(config, layers, 6);
  types.back() = "full_attention";
  return types;
}

bool is_full(const std::string& type) { return type == "full_attention"; }

// The heads of layers with full attention.
struct FullHeads {
  int dim, kv_heads;
};

// The configuration of a layer where config.json has one. Its number has leading zeros if that of
// the last layer there has more digits.
std::optional<Config> own_config(const Config& config, size_t layer) {
  std::optional<Config> layers = config.object("per_layer_config"), own;
  std::string number = std::to_string(layer);
  for (; layers && !own && number.size() <= kMaxDigits; number.insert(0, "0")) {
    own = layers->object(number);
  }
  return own;
}

// transformers 5 writes them for each layer, published files once.
FullHeads full_heads(const Config& config, const DecoderConfig& c,
                     const std::vector<std::string>& types) {
  auto first = std::find_if(types.begin(), types.end(), is_full);
  std::optional<Config> own = own_config(config, static_cast<size_t>(first - types.begin()));
  bool keys_as_values = config.boolean_or("attention_k_eq_v", false);
  FullHeads heads{c.head_dim, c.kv_heads};
  if (own) {
    heads = {size_or(*own, "head_dim", c.head_dim, kMaxHeadSize),
             size_or(*own, "num_key_value_heads", c.kv_heads, kMaxHeadSize)};
  } else {
    heads.dim = size_or(config, "global_head_dim", 512, kMaxHeadSize);
    if (keys_as_values) {
      heads.kv_heads = size_or(config, "num_global_key_value_heads", c.kv_heads, kMaxHeadSize);
    }
  }
  if (heads.dim % 2 == 0 && c.heads % heads.kv_heads == 0) return heads;
  throw Error(kModelBroken,
              "config.json: global_head_dim must be even, and num_attention_heads a multiple of "
              "num_global_key_value_heads");
}

struct Gemma4 {
  Gemma4(const Config& config, const WeightStore& weights, const Gemma4Defaults& defaults);

  // The width of a layer's feed-forward network.
  int width_of(int layer) const {
    bool shares = c.cache_of[static_cast<size_t>(layer)] != layer;
    return shares && double_wide ? 2 * c.intermediate : c.intermediate;
  }

  DecoderConfig c;
  std::vector<std::string> types;
  bool double_wide;
};

Gemma4::Gemma4(const Config& config, const WeightStore& weights, const Gemma4Defaults& defaults)
    : c(config, {.max_positions = defaults.max_positions,
                 .head_dim = 256,
                 .activation_key = "hidden_activation",
                 .activation = "gelu_pytorch_tanh"}),
      types(gemma4_layer_types(config, c.layers)),
      double_wide(config.boolean_or("use_double_wide_mlp", false)) {
  bool keys_as_values = config.boolean_or("attention_k_eq_v", false);
  FullHeads heads = full_heads(config, c, types);
  c.names.after_mixer = "post_attention_layernorm";
  c.names.feed_forward_norm = "pre_feedforward_layernorm";
  c.names.after_feed_forward = "post_feedforward_layernorm";
  c.clips_residuals = true;
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = QkNorm::kHeads;
  c.attention_scale = 1;
  c.embedding_factor = rounded_root(c.hidden, weights.stored_dtype());
  c.logit_cap = static_cast<float>(config.number_or("final_logit_softcapping", 0));
  c.cache_of = shared_caches(types, config.integer_or("num_kv_shared_layers", 0, 0));
  for (size_t i = 0; i < types.size(); ++i) {
    if (!is_full(types[i])) c.windows[i] = config.integer_or("sliding_window", defaults.window);
  }
  c.adjust_attention = [types = types, cache_of = c.cache_of, heads, keys_as_values](
                           int layer, AttentionOptions& options) {
    bool full = is_full(types[static_cast<size_t>(layer)]);
    options.value_norm = true;
    options.shares_cache = cache_of[static_cast<size_t>(layer)] != layer;
    if (!full) return;
    options.head_dim = heads.dim;
    options.kv_heads = heads.kv_heads;
    options.keys_as_values = keys_as_values;
  };
  const Config ropes = config.has("rope_parameters") ? config : Config(kGemma4Rope);
  auto rope_of = [&](const char* type, int head_dim) {
    RopeOptions options{.head_dim = head_dim, .max_positions = c.max_positions};
    options.layer_type = type;
    return std::make_shared<const Rope>(ropes, options);
  };
  auto full = rope_of("full_attention", heads.dim);
  auto sliding = rope_of("sliding_attention", c.head_dim);
  for (const std::string& type : types) c.ropes.push_back(is_full(type) ? full : sliding);
}

}  // namespace

// gemma3 with norms as stored, norms of values without weights, unscaled scores and larger heads
// in full layers, whose values may be their keys; further embeddings for each layer; the last
// layers may share the keys and values of earlier ones; a factor after each layer; and in some
// models experts beside the feed-forward network.
static std::unique_ptr<Model> make_gemma4(const Config& config, WeightStore& weights,
                                          int context_length, const Gemma4Defaults& defaults) {
  if (config.string_or("use_bidirectional_attention", "vision") == "all") {
    throw Error(kModelUnsupported,
                "config.json: use_bidirectional_attention \"all\" is not supported: such a model "
                "encodes text and does not generate it");
  }
  Gemma4 model(config, weights, defaults);
  DecoderConfig& c = model.c;
  ignore_shared(weights, c.cache_of);
  int size = config.integer_or("hidden_size_per_layer_input", defaults.per_layer_size, 0);
  bool experts = config.boolean_or("enable_moe_block", false);
  if (experts) c.names.feed_forward_norm = nullptr;

  DecoderParts parts;
  parts.feed_forward = [&](WeightStore& store, const std::string& path, int layer) -> FeedForward {
    int width = model.width_of(layer);
    if (experts) return gemma4_experts(config, c, store, path, width);
    return Mlp(store, path + ".mlp", {c.hidden, width, c.mlp_bias, c.activation});
  };
  if (size > 0) {
    int vocab = size_or(config, "vocab_size_per_layer_input", 262144, 1 << 24);
    parts.end_inputs = PerLayerInputs(weights, c, vocab, size);
  }
  parts.layer_end = [&](WeightStore& store, const std::string& path, int layer) -> LayerEnd {
    mx::array factor = store.tensor(path + ".layer_scalar", {1});
    if (size == 0) {
      return [=](const mx::array& h, const auto&) { return mx::multiply(h, factor); };
    }
    PerLayerGate gate(store, path, c, layer, size);
    return [=](const mx::array& h, const std::optional<mx::array>& inputs) {
      return mx::multiply(clipped_sum(h, gate(h, *inputs)), factor);
    };
  };
  return std::make_unique<Decoder>(config, c, weights, context_length, parts);
}

// E2B, E4B, 26B-A4B and 31B.
static std::unique_ptr<Model> make_gemma4_text(const Config& config, WeightStore& weights,
                                               int context_length) {
  return make_gemma4(config, weights, context_length, {131072, 512, 256});
}

// 12B, which has neither embeddings for each layer nor experts.
static std::unique_ptr<Model> make_gemma4_unified(const Config& config, WeightStore& weights,
                                                  int context_length) {
  return make_gemma4(config, weights, context_length, {262144, 1024, 0});
}

MODEL_FAMILY(gemma4_text, make_gemma4_text);
static const ModelFamily kUnifiedFamily("gemma4_unified_text", make_gemma4_unified);

}  // namespace llm_host
