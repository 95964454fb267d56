#include "models/llama.h"

#include <algorithm>

#include "engine/error.h"
#include "layers/attention.h"
#include "layers/linear.h"
#include "layers/mlp.h"
#include "layers/norm.h"
#include "layers/rope.h"

namespace llm_host {
namespace {

struct LlamaConfig {
  explicit LlamaConfig(const Config& c)
      : hidden(c.integer("hidden_size")),
        layers(c.integer("num_hidden_layers")),
        intermediate(c.integer("intermediate_size")),
        heads(c.integer("num_attention_heads")),
        kv_heads(c.integer_or("num_key_value_heads", heads)),
        head_dim(c.integer_or("head_dim", hidden / heads)),
        vocab(c.integer("vocab_size")),
        max_tokens(c.integer_or("max_position_embeddings", 2048)),
        eps(static_cast<float>(c.number_or("rms_norm_eps", 1e-6))),
        attention_bias(c.boolean_or("attention_bias", false)),
        mlp_bias(c.boolean_or("mlp_bias", false)),
        window(c.integer_or("sliding_window", 0)) {
    if (heads % kv_heads != 0) {
      throw Error(kModelBroken, "config.json: num_attention_heads (" + std::to_string(heads) +
                                    ") must be a multiple of num_key_value_heads (" +
                                    std::to_string(kv_heads) + ")");
    }
    if (head_dim < 2 || head_dim % 2 != 0) {
      throw Error(kModelBroken,
                  "config.json: head_dim must be even, got " + std::to_string(head_dim));
    }
    std::string act = c.string_or("hidden_act", "silu");
    if (act != "silu") {
      throw Error(kModelUnsupported, "config.json: hidden_act \"" + act + "\" is not supported");
    }
    // Llama files carry a window only with layer_types; Mistral's own files apply it to every
    // layer.
    if (c.has("layer_types")) {
      layer_types = c.strings("layer_types");
      if (layer_types.size() != static_cast<size_t>(layers)) {
        throw Error(kModelBroken, "config.json: layer_types must have num_hidden_layers entries");
      }
    } else if (c.string("model_type") == "llama") {
      window = 0;
    }
  }

  int window_of(int layer) const {
    if (layer_types.empty()) return window;
    return layer_types[layer] == "sliding_attention" ? window : 0;
  }

  int hidden, layers, intermediate, heads, kv_heads, head_dim, vocab, max_tokens;
  float eps;
  bool attention_bias, mlp_bias;
  int window;
  std::vector<std::string> layer_types;
};

struct Layer {
  RmsNorm attention_norm;
  Attention attention;
  RmsNorm mlp_norm;
  Mlp mlp;
};

Layer load_layer(const LlamaConfig& c, WeightStore& weights, int i) {
  std::string path = "model.layers." + std::to_string(i);
  Attention::Shape shape{c.hidden,   c.heads,          c.kv_heads,
                         c.head_dim, c.attention_bias, c.window_of(i)};
  return {RmsNorm(weights, path + ".input_layernorm", c.hidden, c.eps),
          Attention(weights, path + ".self_attn", shape),
          RmsNorm(weights, path + ".post_attention_layernorm", c.hidden, c.eps),
          Mlp(weights, path + ".mlp", c.hidden, c.intermediate, c.mlp_bias)};
}

// A checkpoint is tied if it says so, or if it says nothing and has no head of its own.
bool is_tied(const Config& config, const WeightStore& weights) {
  return config.boolean_or("tie_word_embeddings", !weights.has("lm_head.weight"));
}

class Llama final : public Model {
 public:
  Llama(const Config& config, const LlamaConfig& c, WeightStore& weights, int context_length)
      : config_(c),
        dtype_(weights.dtype()),
        rope_(config, c.head_dim, 10000),
        embedding_(weights.matrix("model.embed_tokens", c.vocab, c.hidden)),
        norm_(weights, "model.norm", c.hidden, c.eps),
        head_(is_tied(config, weights)
                  ? embedding_.as_linear()
                  : Linear::load(weights, "lm_head", c.vocab, c.hidden, false)) {
    for (int i = 0; i < c.layers; ++i) layers_.push_back(load_layer(c, weights, i));
    info_.model_type = config.string("model_type");
    info_.layers = c.layers;
    info_.hidden_size = c.hidden;
    info_.vocab_size = c.vocab;
    info_.context_length =
        context_length == 0 ? c.max_tokens : std::min(context_length, c.max_tokens);
  }

  mx::array body(const mx::array& ids, ModelCache& cache) const override {
    mx::array h = embedding_(ids);
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      h = mx::add(h, layer.attention(layer.attention_norm(h), rope_, cache.attention(i)));
      h = mx::add(h, layer.mlp(layer.mlp_norm(h)));
    }
    return h;
  }

  mx::array head(const mx::array& hidden) const override { return head_(norm_(hidden)); }

  ModelCache new_cache(const CacheOptions& options) const override {
    ModelCache cache(options);
    for (int i = 0; i < config_.layers; ++i) {
      cache.add_attention({config_.kv_heads, config_.head_dim, config_.window_of(i), dtype_});
    }
    return cache;
  }

  const ModelInfo& info() const override { return info_; }

 private:
  LlamaConfig config_;
  mx::Dtype dtype_;
  Rope rope_;
  Embedding embedding_;
  RmsNorm norm_;
  Linear head_;
  std::vector<Layer> layers_;
  ModelInfo info_;
};

}  // namespace

std::unique_ptr<Model> make_llama(const Config& config, WeightStore& weights, int context_length) {
  return std::make_unique<Llama>(config, LlamaConfig(config), weights, context_length);
}

}  // namespace llm_host
