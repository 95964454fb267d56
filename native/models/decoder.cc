#include "models/decoder.h"

#include <algorithm>

#include "common/error.h"
#include "layers/positions.h"

namespace llm_host {
namespace {

// x · factor by float32 arithmetic, rounded once: 0.22 as a bfloat16 would be off by 0.1 %.
mx::array scaled(const mx::array& x, float factor) {
  if (factor == 1) return x;
  mx::array product = mx::multiply(mx::astype(x, mx::float32), mx::array(factor));
  return mx::astype(product, x.dtype());
}

bool is_tied(const Config& config, const WeightStore& weights) {
  return config.boolean_or("tie_word_embeddings", !weights.has("lm_head.weight"));
}

Linear head_of(const Config& config, const DecoderConfig& c, WeightStore& weights,
               const Embedding& embedding) {
  if (!is_tied(config, weights)) {
    return Linear::load(weights, "lm_head", c.vocab, c.hidden, false);
  }
  weights.ignore("lm_head.");
  return embedding.as_linear();
}

// Gemma's stream grows beyond what a float16 holds: clipped there, as in mlx-lm.
mx::array plus(const mx::array& h, const mx::array& part) {
  if (h.dtype() != mx::float16) return mx::add(h, part);
  mx::array sum = mx::add(mx::astype(h, mx::float32), mx::astype(part, mx::float32));
  return mx::astype(mx::clip(sum, mx::array(-65504.0f), mx::array(65504.0f)), mx::float16);
}

// Plain additions instead of h + ρ · part: the stream is kept divided by ρ, which every RMSNorm
// undoes if its eps is divided by ρ².
DecoderConfig with_plain_residuals(DecoderConfig c) {
  if (c.sandwich_norms) return c;
  c.embedding_factor /= c.residual_factor;
  c.eps /= c.residual_factor * c.residual_factor;
  c.residual_factor = 1;
  return c;
}

}  // namespace

FeedForward dense_feed_forward(const DecoderConfig& c, WeightStore& weights,
                               const std::string& path) {
  if (c.intermediate < 1) throw Error(kModelBroken, "config.json has no intermediate_size");
  MlpOptions options{c.hidden, c.intermediate, c.mlp_bias, c.activation};
  return Mlp(weights, path + ".mlp", options);
}

mx::array FeedForward::operator()(const Normed& x, const std::optional<mx::array>& residual) const {
  if (mlp_) return (*mlp_)(x, residual);
  mx::array y = whole_(x.value());
  return residual ? plus(*residual, y) : y;
}

Vocabulary::Vocabulary(const Config& config, const DecoderConfig& c, WeightStore& weights)
    : factor_(c.embedding_factor),
      divisor_(c.logit_divisor),
      cap_(c.logit_cap),
      embedding_(WeightMatrix(
          weights.matrix("model.embed_tokens", c.vocab, c.hidden, weights.packed()), weights)),
      head_(head_of(config, c, weights, embedding_)) {}

mx::array Vocabulary::embed(const mx::array& ids) const { return scaled(embedding_(ids), factor_); }

mx::array Vocabulary::logits(const Normed& hidden) const {
  mx::array logits = head_.packed() ? Linear::apply({head_}, normalised(hidden))
                                    : mx::astype(head_(hidden.value()), mx::float32);
  if (divisor_ != 1) logits = mx::divide(logits, mx::array(divisor_));
  if (cap_ == 0) return logits;
  mx::array cap(cap_);
  return mx::multiply(mx::tanh(mx::divide(logits, cap)), cap);
}

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
      norm_(weights, config_.names.final_norm, config_.hidden, config_.norm()),
      info_(info_of(config, config_, context_length)) {
  for (int i = 0; i < config_.layers; ++i) layers_.push_back(load_layer(weights, i, parts));
}

Decoder::Layer Decoder::load_layer(WeightStore& weights, int index,
                                   const DecoderParts& parts) const {
  const DecoderConfig& c = config_;
  std::string path = "model.layers." + std::to_string(index);
  auto norm = [&](const char* name) {
    return RmsNorm(weights, path + "." + name, c.hidden, c.norm());
  };
  bool sandwich = c.sandwich_norms;
  StateMixer state_mixer;
  if (parts.state_mixer) state_mixer = parts.state_mixer(weights, path, index);
  std::optional<Attention> attention;
  if (!state_mixer) attention.emplace(weights, path + ".self_attn", c.attention(index));
  return {
      .mixer_norm = norm(c.names.mixer_norm),
      .attention = std::move(attention),
      .state_mixer = std::move(state_mixer),
      .after_attention = sandwich ? std::optional(norm("post_attention_layernorm")) : std::nullopt,
      .feed_forward_norm = norm(sandwich ? "pre_feedforward_layernorm" : c.names.feed_forward_norm),
      .feed_forward = parts.feed_forward ? parts.feed_forward(weights, path, index)
                                         : dense_feed_forward(c, weights, path),
      .after_feed_forward =
          sandwich ? std::optional(norm("post_feedforward_layernorm")) : std::nullopt};
}

mx::array Decoder::mix(size_t index, const mx::array& h, const RopeAngles& angles,
                       ModelCache& cache, int outputs) const {
  const Layer& layer = layers_[index];
  Normed x{h, layer.mixer_norm};
  mx::array rest = last_positions(h, outputs);
  if (layer.state_mixer) {
    mx::array part = layer.state_mixer(x.value(), cache.state(index));
    return plus(rest, last_positions(part, outputs));
  }
  AttentionCache& kv = cache.attention(index);
  if (!layer.after_attention && h.dtype() != mx::float16) {
    return (*layer.attention)(x, angles, kv, rest, outputs);
  }
  mx::array part = (*layer.attention)(x, angles, kv, std::nullopt, outputs);
  return plus(rest, layer.after_attention ? (*layer.after_attention)(part) : part);
}

mx::array Decoder::body(const mx::array& ids, ModelCache& cache, int outputs) const {
  static const RopeAngles kNone;
  int length = std::max(cache.planned(), cache.length() + ids.shape(1));
  mx::array h = vocabulary_.embed(ids);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const Rope* rope = config_.ropes[i].get();
    const RopeAngles& angles = rope != nullptr ? rope->angles(length) : kNone;
    // What the last layer says of other positions nobody reads.
    h = mix(i, h, angles, cache, i + 1 == layers_.size() ? outputs : h.shape(1));
    Normed x{h, layer.feed_forward_norm};
    if (!layer.after_feed_forward && h.dtype() != mx::float16) {
      h = layer.feed_forward(x, h);
    } else {
      mx::array part = layer.feed_forward(x, std::nullopt);
      h = plus(h, layer.after_feed_forward ? (*layer.after_feed_forward)(part) : part);
    }
  }
  return h;
}

mx::array Decoder::head(const mx::array& hidden) const {
  return vocabulary_.logits({hidden, norm_});
}

// Ropes that change with the length change at the same one, if a model has several.
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
  // Quantized keys and values are computed with as they are unpacked.
  mx::Dtype dtype = options.kv_bits == 0 ? cache_dtype_ : dtype_;
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i].state_mixer) {
      cache.add_state();
    } else {
      cache.add_attention({config_.kv_heads, config_.head_dim, config_.windows[i], dtype});
    }
  }
  return cache;
}

}  // namespace llm_host
