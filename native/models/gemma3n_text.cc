#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "layers/attention/positions.h"
#include "models/altup.h"
#include "models/decoder.h"
#include "models/gemma.h"
#include "models/per_layer_inputs.h"
#include "models/sparse_mlp.h"

namespace llm_host {
namespace {

constexpr int kMaxLayerWidth = 1 << 24, kMaxStreams = 16;

// x + norm(right(left x)), a way around a layer that is narrow.
class Laurel {
 public:
  Laurel(WeightStore& weights, const std::string& path, const DecoderConfig& c, int rank)
      : left_(Linear::load(weights, path + ".linear_left", rank, c.hidden, false)),
        right_(Linear::load(weights, path + ".linear_right", c.hidden, rank, false)),
        norm_(weights, path + ".post_laurel_norm", c.hidden, c.norm()) {}

  mx::array operator()(const mx::array& x) const { return mx::add(x, norm_(right_(left_(x)))); }

 private:
  Linear left_, right_;
  Norm norm_;
};

// A number for each layer, or one for all.
std::vector<double> of_each(const Config& config, const char* key, int layers, double missing) {
  size_t count = static_cast<size_t>(layers);
  const Value* value = config.find(key);
  if (value == nullptr) return std::vector<double>(count, missing);
  if (value->as<double>() != nullptr) return std::vector<double>(count, config.number(key));
  std::vector<double> numbers = config.numbers(key);
  if (numbers.size() == count) return numbers;
  throw Error(kModelBroken, std::string("config.json: ") + key + " must have num_hidden_layers (" +
                                std::to_string(layers) + ") entries, got " +
                                std::to_string(numbers.size()));
}

FeedForward feed_forward(const Config& config, const DecoderConfig& c, WeightStore& weights,
                         const std::string& path, int layer) {
  auto own = [&](const char* key, double missing) {
    return of_each(config, key, c.layers, missing)[static_cast<size_t>(layer)];
  };
  double width = own("intermediate_size", 16384), share = own("activation_sparsity_pattern", 0);
  if (!(width >= 1 && width <= kMaxLayerWidth && share >= 0 && share < 1)) {
    throw Error(kModelBroken,
                "config.json: intermediate_size must be 1 to 16777216 and "
                "activation_sparsity_pattern below 1 in each layer");
  }
  MlpOptions options{c.hidden, static_cast<int>(width), false, c.activation};
  if (share == 0) return Mlp(weights, path + ".mlp", options);
  return SparseMlp(weights, path + ".mlp", options, share);
}

DecoderConfig decoder_of(const Config& config, const WeightStore& weights) {
  DecoderConfig c(config, {.max_positions = 32768,
                           .head_dim = 256,
                           .activation_key = "hidden_activation",
                           .activation = "gelu_pytorch_tanh",
                           .own_intermediate = true});
  c.qk_norm = QkNorm::kHeads;
  c.attention_scale = 1;
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.embedding_factor = rounded_root(c.hidden, weights.stored_dtype());
  c.logit_cap = static_cast<float>(config.number_or("final_logit_softcapping", 30));
  std::vector<std::string> types = patterned_types(config, c.layers, 5);
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == "sliding_attention") c.windows[i] = config.integer_or("sliding_window", 512);
  }
  c.ropes = gemma_ropes(config, c, types);
  c.cache_of = shared_caches(types, config.integer_or("num_kv_shared_layers", 15, 0));
  c.adjust_attention = [cache_of = c.cache_of](int layer, AttentionOptions& options) {
    options.value_norm = true;
    options.shares_cache = cache_of[static_cast<size_t>(layer)] != layer;
  };
  return c;
}

class Gemma3n final : public Model {
 public:
  Gemma3n(const Config& config, WeightStore& weights, int context_length);

  mx::array body(const mx::array& ids, ModelCache& cache, int outputs) const override;
  mx::array step(const mx::array& ids, std::span<ModelCache* const> caches) const override;
  mx::array head(const mx::array& hidden) const override {
    return vocabulary_.logits({hidden, &norm_});
  }
  ModelCache new_cache(const CacheOptions& options) const override;
  const ModelInfo& info() const override { return info_; }

 private:
  struct Layer {
    AltUp altup;
    Laurel laurel;
    Attention attention;
    Norm input, after_attention, before_feed_forward, after_feed_forward;
    FeedForward feed_forward;
    PerLayerGate gate;
    size_t cache;
  };
  Layer load_layer(const Config& config, WeightStore& weights, int index);
  // The streams [L, N, H] after a layer, of the last `kept` positions. `attend` gives what its
  // attention makes of an input, for those positions.
  template <typename Attend>
  mx::array through(const Layer& layer, const mx::array& streams, int kept, const mx::array& inputs,
                    Attend&& attend) const;
  const RopeAngles& angles_of(size_t layer) const { return config_.ropes[layer]->angles(1); }

  DecoderConfig config_;
  mx::Dtype dtype_, cache_dtype_;
  AltUp::Shape altup_;
  Vocabulary vocabulary_;
  PerLayerInputs inputs_;
  AltUpEnds ends_;
  std::vector<Layer> layers_;
  size_t caches_ = 0;
  size_t last_remembering_ = 0;
  Norm norm_;
  ModelInfo info_;
};

AltUp::Shape altup_shape(const Config& config) {
  AltUp::Shape s{.streams = config.integer_or("altup_num_inputs", 4),
                 .active = config.integer_or("altup_active_idx", 0, 0),
                 .scales = config.boolean_or("altup_correct_scale", true)};
  if (s.streams >= 2 && s.streams <= kMaxStreams && s.active < s.streams) return s;
  throw Error(kModelBroken,
              "config.json: altup_num_inputs must be 2 to 16, and altup_active_idx below it");
}

Gemma3n::Gemma3n(const Config& config, WeightStore& weights, int context_length)
    : config_(decoder_of(config, weights)),
      dtype_(weights.dtype()),
      cache_dtype_(weights.packed() ? mx::float16 : weights.dtype()),
      altup_(altup_shape(config)),
      vocabulary_(config, config_, weights),
      inputs_(weights, config_, config.integer_or("vocab_size_per_layer_input", 262144),
              config.integer_or("hidden_size_per_layer_input", 256)),
      ends_(weights, config_, altup_.streams),
      norm_(weights, "model.norm", config_.hidden, config_.norm()),
      info_(info_of(config, config_, context_length)) {
  ignore_shared(weights, config_.cache_of);
  for (int i = 0; i < config_.layers; ++i) layers_.push_back(load_layer(config, weights, i));
}

Gemma3n::Layer Gemma3n::load_layer(const Config& config, WeightStore& weights, int index) {
  const DecoderConfig& c = config_;
  std::string path = "model.layers." + std::to_string(index);
  int source = c.cache_of[static_cast<size_t>(index)];
  bool owns = source == index;
  size_t cache = owns ? caches_++ : layers_[static_cast<size_t>(source)].cache;
  if (owns) last_remembering_ = static_cast<size_t>(index);
  auto norm = [&](const char* name) { return Norm(weights, path + name, c.hidden, c.norm()); };
  return {.altup = AltUp(weights, path + ".altup", c, altup_),
          .laurel = Laurel(weights, path + ".laurel", c, config.integer_or("laurel_rank", 64)),
          .attention = Attention(weights, path + ".self_attn", c.attention(index)),
          .input = norm(".input_layernorm"),
          .after_attention = norm(".post_attention_layernorm"),
          .before_feed_forward = norm(".pre_feedforward_layernorm"),
          .after_feed_forward = norm(".post_feedforward_layernorm"),
          .feed_forward = feed_forward(config, c, weights, path, index),
          .gate = PerLayerGate(weights, path, c, index,
                               config.integer_or("hidden_size_per_layer_input", 256)),
          .cache = cache};
}

template <typename Attend>
mx::array Gemma3n::through(const Layer& layer, const mx::array& streams, int kept,
                           const mx::array& inputs, Attend&& attend) const {
  int length = streams.shape(0), count = streams.shape(1), hidden = streams.shape(2);
  mx::array predictions = layer.altup.predict(streams);
  mx::array x = layer.input(layer.altup.active(predictions));
  mx::array attention = layer.after_attention(attend(Normed{x}));
  if (kept < length) {
    predictions = mx::slice(predictions, {length - kept, 0, 0}, {length, count, hidden});
  }
  mx::array around = layer.laurel(last_positions(x, kept));
  mx::array sum = mx::add(mx::add(layer.altup.active(predictions), attention), around);
  mx::array mixed = mx::divide(sum, mx::array(std::sqrt(2.0f), sum.dtype()));
  mx::array part = layer.feed_forward(layer.before_feed_forward(mixed));
  mx::array activated = mx::add(mixed, layer.after_feed_forward(part));
  mx::array corrected = layer.altup.correct(predictions, activated);
  mx::array first = layer.altup.scaled(layer.altup.active(corrected));
  mx::array added = layer.gate(first, last_positions(inputs, kept));
  // To all streams but the first.
  std::vector<mx::array> parts = mx::split(corrected, mx::Shape{1}, 1);
  parts[1] = mx::add(parts[1], mx::reshape(added, {kept, 1, hidden}));
  return mx::concatenate(parts, 1);
}

mx::array Gemma3n::body(const mx::array& ids, ModelCache& cache, int outputs) const {
  mx::array h = vocabulary_.embed(ids);
  mx::array inputs = inputs_(ids, h), streams = ends_.begin(h);
  WindowMasks masks;
  HeadPositions positions;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    int kept = i >= last_remembering_ ? outputs : streams.shape(0);
    AttentionStep step{angles_of(i), masks, positions, kept};
    streams = through(layer, streams, kept, inputs, [&](const Normed& x) {
      return layer.attention(x, step, cache.attention(layer.cache), std::nullopt);
    });
  }
  return ends_.end(streams);
}

mx::array Gemma3n::step(const mx::array& ids, std::span<ModelCache* const> caches) const {
  mx::array h = vocabulary_.embed(ids);
  mx::array inputs = inputs_(ids, h), streams = ends_.begin(h);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    std::vector<Attention::Row> rows;
    for (ModelCache* cache : caches) rows.push_back({angles_of(i), cache->attention(layer.cache)});
    streams = through(layer, streams, streams.shape(0), inputs,
                      [&](const Normed& x) { return layer.attention.step(x, rows, std::nullopt); });
  }
  return ends_.end(streams);
}

ModelCache Gemma3n::new_cache(const CacheOptions& options) const {
  ModelCache cache(options);
  mx::Dtype dtype = options.kv_bits == 0 ? cache_dtype_ : dtype_;
  for (int i = 0; i < config_.layers; ++i) {
    if (config_.cache_of[static_cast<size_t>(i)] != i) continue;
    AttentionOptions o = config_.attention(i);
    cache.add_attention({o.kv_heads, o.head_dim, o.window, dtype});
  }
  return cache;
}

}  // namespace

// gemma3 with several residual streams (AltUp), a narrow way around each layer (Laurel), sparse
// gates, embeddings for each layer, and last layers that share the keys and values of earlier ones.
static std::unique_ptr<Model> make_gemma3n_text(const Config& config, WeightStore& weights,
                                                int context_length) {
  return std::make_unique<Gemma3n>(config, weights, context_length);
}

MODEL_FAMILY(gemma3n_text, make_gemma3n_text);

}  // namespace llm_host
