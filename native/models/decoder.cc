#include "models/decoder.h"

#include <algorithm>

#include "common/error.h"
#include "kernels/ops.h"
#include "layers/attention/positions.h"
#include "models/residual.h"

namespace llm_host {
namespace {

// Replaces h + ρ · part by plain additions: divides the residual stream by ρ, which an RMSNorm with
// eps / ρ² undoes. Our kernels add the residual in a product's own pass; MLX's would round the
// stream elsewhere than where models were trained.
DecoderConfig with_plain_residuals(DecoderConfig c) {
  if (c.names.after_mixer != nullptr || !cpu::usable()) return c;
  c.embedding_factor /= c.residual_factor;
  c.eps /= c.residual_factor * c.residual_factor;
  c.residual_factor = 1;
  return c;
}

}  // namespace

ModelInfo info_of(const Config& config, const DecoderConfig& c, int context_length) {
  ModelInfo info;
  info.model_type = config.string("model_type");
  info.layers = c.layers;
  info.hidden_size = c.hidden;
  info.vocab_size = c.vocab;
  int most = c.max_positions;
  for (const auto& rope : c.ropes) {
    if (rope) most = std::max(most, rope->max_positions());
  }
  info.context_length = context_length == 0 ? most : std::min(context_length, most);
  return info;
}

Decoder::Decoder(const Config& config, DecoderConfig c, WeightStore& weights, int context_length,
                 const DecoderParts& parts)
    : config_(with_plain_residuals(std::move(c))),
      dtype_(weights.dtype()),
      cache_dtype_(weights.packed() ? mx::float16 : weights.dtype()),
      vocabulary_(config, config_, weights),
      end_inputs_(parts.end_inputs),
      norm_(weights, config_.names.final_norm, config_.hidden, config_.norm()),
      info_(info_of(config, config_, context_length)) {
  if (config_.bidirectional && !weights.encodes()) {
    throw Error(kModelUnsupported,
                "config.json: is_causal is false: such a model encodes text and does not generate "
                "it, and needs the modules.json of an embedding model");
  }
  for (int i = 0; i < config_.layers; ++i) {
    layers_.push_back(load_layer(weights, i, parts));
    place_caches();
  }
}

Decoder::Layer Decoder::load_layer(WeightStore& weights, int index,
                                   const DecoderParts& parts) const {
  const DecoderConfig& c = config_;
  std::string path = std::string(c.names.layers) + "." + std::to_string(index);
  auto norm = [&](const char* name) -> std::optional<Norm> {
    if (name == nullptr) return std::nullopt;
    return Norm(weights, path + "." + name, c.hidden, c.norm());
  };
  using Contents = DecoderConfig::Contents;
  Contents contents = c.contents[static_cast<size_t>(index)];
  Layer layer;
  if (contents != Contents::kFeedForward) {
    layer.mixer_norm = norm(c.names.mixer_norm);
    if (parts.state_mixer) layer.state_mixer = parts.state_mixer(weights, path, index);
    std::string attention = path + "." + c.names.attention;
    if (c.latent) {
      layer.latent_attention.emplace(weights, attention, *c.latent);
    } else if (!layer.state_mixer || parts.attention_beside) {
      layer.attention.emplace(weights, attention, c.attention(index));
    }
    layer.after_mixer = norm(c.names.after_mixer);
  }
  if (contents != Contents::kMixer) {
    layer.feed_forward_norm = norm(c.names.feed_forward_norm);
    layer.feed_forward = parts.feed_forward ? parts.feed_forward(weights, path, index)
                                            : dense_feed_forward(c, weights, path);
    layer.after_feed_forward = norm(c.names.after_feed_forward);
  }
  if (parts.layer_end) layer.end = parts.layer_end(weights, path, index);
  return layer;
}

bool Decoder::owns_cache(size_t index) const {
  const std::vector<int>& of = config_.cache_of;
  return of.empty() || of[index] == static_cast<int>(index);
}

void Decoder::place_caches() {
  size_t index = layers_.size() - 1;
  Layer& layer = layers_.back();
  size_t before = caches_;
  if (layer.attends() && owns_cache(index)) layer.attention_cache = caches_++;
  if (layer.attends() && !owns_cache(index)) {
    layer.attention_cache = layers_[static_cast<size_t>(config_.cache_of[index])].attention_cache;
  }
  if (layer.state_mixer) layer.state_cache = caches_++;
  if (caches_ > before) last_remembering_ = index;
}

mx::array Decoder::plus(const mx::array& h, const mx::array& part) const {
  if (config_.residual_factor != 1) return scaled_sum(h, part, config_.residual_factor);
  return config_.clips_residuals ? clipped_sum(h, part) : mx::add(h, part);
}

bool Decoder::adds_residuals() const {
  return !config_.clips_residuals && config_.residual_factor == 1;
}

mx::array Decoder::add_state(const Layer& layer, const mx::array& h, const mx::array& part) const {
  return plus(h, layer.after_mixer ? (*layer.after_mixer)(part) : part);
}

template <typename Attend>
mx::array Decoder::add_attention(const Layer& layer, const mx::array& h, Attend&& attend) const {
  if (!layer.after_mixer && adds_residuals()) return attend(std::optional(h));
  mx::array part = attend(std::optional<mx::array>());
  return plus(h, layer.after_mixer ? (*layer.after_mixer)(part) : part);
}

template <typename Mix>
mx::array Decoder::through(const Layer& layer, const mx::array& h, int kept, Mix&& mix) const {
  auto normed = [](const mx::array& x, const std::optional<Norm>& norm) {
    return Normed{x, norm ? &*norm : nullptr};
  };
  mx::array rest = last_positions(h, kept);
  if (!config_.parallel) {
    mx::array mixed = layer.mixes() ? mix(normed(h, layer.mixer_norm), rest) : rest;
    if (!layer.feed_forward) return mixed;
    return feed_forward(layer, normed(mixed, layer.feed_forward_norm), mixed);
  }
  mx::array x = normed(h, layer.mixer_norm).value();
  mx::array mixed = mix(Normed{x}, rest), last = last_positions(x, kept);
  return feed_forward(layer, {last}, mixed);
}

mx::array Decoder::ended(const Layer& layer, const mx::array& h,
                         const std::optional<mx::array>& inputs) const {
  if (!layer.end) return h;
  return layer.end(h, inputs ? std::optional(last_positions(*inputs, h.shape(1))) : std::nullopt);
}

std::optional<mx::array> Decoder::end_inputs(const mx::array& ids, const mx::array& h) const {
  return end_inputs_ ? std::optional(end_inputs_(ids, h)) : std::nullopt;
}

mx::array Decoder::mix(size_t index, const Normed& x, const mx::array& rest,
                       const AttentionStep& step, ModelCache& cache) const {
  const Layer& layer = layers_[index];
  mx::array h = rest;
  if (layer.state_mixer) {
    mx::array part = layer.state_mixer(x.value(), cache.state(layer.state_cache));
    h = add_state(layer, h, last_positions(part, step.outputs));
  }
  if (!layer.attends()) return h;
  size_t place = layer.attention_cache;
  return add_attention(layer, h, [&](const std::optional<mx::array>& residual) {
    if (!layer.attention) return (*layer.latent_attention)(x, step, cache.latent(place), residual);
    return (*layer.attention)(x, step, cache.attention(place), residual);
  });
}

mx::array Decoder::mix_states(size_t index, const Normed& input,
                              std::span<ModelCache* const> caches) const {
  const Layer& layer = layers_[index];
  mx::array x = input.value();
  std::vector<mx::array> parts;
  for (int i = 0; i < static_cast<int>(caches.size()); ++i) {
    mx::array own = mx::contiguous(mx::slice(x, {0, i, 0}, {1, i + 1, x.shape(2)}));
    StateCache& state = caches[static_cast<size_t>(i)]->state(layer.state_cache);
    parts.push_back(layer.state_mixer(own, state));
  }
  return mx::concatenate(parts, 1);
}

template <typename Row, typename Cache>
std::vector<Row> Decoder::attention_rows(size_t index, std::span<ModelCache* const> caches,
                                         std::span<const int> lengths,
                                         Cache& (ModelCache::*cache_of)(size_t)) const {
  std::vector<Row> rows;
  for (size_t i = 0; i < caches.size(); ++i) {
    Cache& cache = (caches[i]->*cache_of)(layers_[index].attention_cache);
    rows.push_back({angles_of(index, lengths[i]), cache});
  }
  return rows;
}

mx::array Decoder::mix_step(size_t index, const Normed& x, const mx::array& rest,
                            std::span<ModelCache* const> caches,
                            std::span<const int> lengths) const {
  const Layer& layer = layers_[index];
  mx::array h = layer.state_mixer ? add_state(layer, rest, mix_states(index, x, caches)) : rest;
  if (!layer.attends()) return h;
  return add_attention(layer, h, [&](const std::optional<mx::array>& residual) {
    if (layer.attention) {
      auto rows = attention_rows<Attention::Row>(index, caches, lengths, &ModelCache::attention);
      return layer.attention->step(x, rows, residual);
    }
    auto rows = attention_rows<LatentAttention::Row>(index, caches, lengths, &ModelCache::latent);
    return layer.latent_attention->step(x, rows, residual);
  });
}

mx::array Decoder::feed_forward(const Layer& layer, const Normed& x, const mx::array& h) const {
  if (!layer.after_feed_forward && adds_residuals()) return (*layer.feed_forward)(x, h);
  mx::array part = (*layer.feed_forward)(x, std::nullopt);
  return plus(h, layer.after_feed_forward ? (*layer.after_feed_forward)(part) : part);
}

const RopeAngles& Decoder::angles_of(size_t index, int length) const {
  static const RopeAngles kNone;
  const Rope* rope = config_.ropes[index].get();
  return rope != nullptr ? rope->angles(length) : kNone;
}

mx::array Decoder::body(const mx::array& ids, ModelCache& cache, int outputs) const {
  int length = std::max(cache.planned(), cache.length() + ids.shape(1));
  mx::array h = vocabulary_.embed(ids);
  std::optional<mx::array> ends = end_inputs(ids, h);
  WindowMasks masks;
  HeadPositions positions;
  for (size_t i = 0; i < layers_.size(); ++i) {
    int kept = i >= last_remembering_ ? outputs : h.shape(1);
    AttentionStep step{angles_of(i, length), masks, positions, kept};
    h = through(layers_[i], h, kept, [&](const Normed& x, const mx::array& rest) {
      return mix(i, x, rest, step, cache);
    });
    h = ended(layers_[i], h, ends);
  }
  return h;
}

mx::array Decoder::step(const mx::array& ids, std::span<ModelCache* const> caches) const {
  // Now: the layers change them.
  std::vector<int> lengths;
  for (ModelCache* cache : caches) {
    lengths.push_back(std::max(cache->planned(), cache->length() + 1));
  }
  mx::array h = vocabulary_.embed(ids);
  std::optional<mx::array> ends = end_inputs(ids, h);
  for (size_t i = 0; i < layers_.size(); ++i) {
    h = through(layers_[i], h, h.shape(1), [&](const Normed& x, const mx::array& rest) {
      return mix_step(i, x, rest, caches, lengths);
    });
    h = ended(layers_[i], h, ends);
  }
  return h;
}

bool Decoder::reads_texts() const {
  // Angles that depend on a text's length would differ within a batch.
  bool fixed = position_regime(info_.context_length) == 0;
  return fixed && std::all_of(layers_.begin(), layers_.end(), [](const Layer& layer) {
           return !layer.state_mixer && !layer.latent_attention &&
                  (!layer.attention || layer.attention->reads_texts());
         });
}

mx::array Decoder::texts(const TextBatch& batch) const {
  mx::array ids = mx::reshape(batch.ids, {1, -1});
  mx::array h = vocabulary_.embed(ids);
  std::optional<mx::array> ends = end_inputs(ids, h);
  TextMasks masks(batch);
  for (size_t i = 0; i < layers_.size(); ++i) {
    AttentionTexts texts{batch, angles_of(i, 1), masks, !config_.bidirectional};
    h = through(layers_[i], h, h.shape(1), [&](const Normed& x, const mx::array& rest) {
      return add_attention(layers_[i], rest, [&](const std::optional<mx::array>& residual) {
        return layers_[i].attention->texts(x, texts, residual);
      });
    });
    h = ended(layers_[i], h, ends);
    if (cpu::usable()) h.eval();
  }
  return mx::reshape(norm_(h), {batch.ids.shape(0), batch.ids.shape(1), config_.hidden});
}

mx::array Decoder::head(const mx::array& hidden) const {
  return vocabulary_.logits({hidden, &norm_});
}

// If a model has several Ropes that depend on the length, they change at the same one.
int Decoder::position_regime(int length) const {
  int regime = 0;
  for (const auto& rope : config_.ropes) {
    if (rope) regime = std::max(regime, rope->regime(length));
  }
  return regime;
}

bool Decoder::positions_restart_at(int length) const {
  return std::any_of(config_.ropes.begin(), config_.ropes.end(),
                     [=](const auto& rope) { return rope && rope->restarts_at(length); });
}

ModelCache Decoder::new_cache(const CacheOptions& options) const {
  ModelCache cache(options);
  // Quantized keys and values are dequantized to the activations' type.
  mx::Dtype dtype = options.kv_bits == 0 ? cache_dtype_ : dtype_;
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i].attention && owns_cache(i)) {
      AttentionOptions options = config_.attention(static_cast<int>(i));
      cache.add_attention({options.kv_heads, options.head_dim, options.window, dtype});
    }
    if (config_.latent) cache.add_latent({config_.latent->rotary_dim, config_.latent->rank, dtype});
    if (layers_[i].state_mixer) cache.add_state();
  }
  return cache;
}

}  // namespace llm_host
