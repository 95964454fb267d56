#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "models/decoder_config.h"
#include "models/model.h"

namespace llm_host {

// The feed-forward part of a layer: x [1, L, H] -> [1, L, H].
class FeedForward {
 public:
  FeedForward() = default;
  // Of anything that takes the normalised x.
  template <typename F>
    requires std::is_invocable_r_v<mx::array, F, const mx::array&> &&
             (!std::is_same_v<F, FeedForward>)
  FeedForward(F whole) : whole_(std::move(whole)) {}
  // A dense one computes the norm and the sum in its own pass.
  FeedForward(Mlp mlp) : mlp_(std::make_shared<Mlp>(std::move(mlp))) {}

  mx::array operator()(const mx::array& x) const { return mlp_ ? (*mlp_)(x) : whole_(x); }
  // Plus `residual`.
  mx::array operator()(const Normed& x, const std::optional<mx::array>& residual) const;

 private:
  std::function<mx::array(const mx::array&)> whole_;
  std::shared_ptr<const Mlp> mlp_;
};
// Makes that of layer `layer`, whose weights start with `path` ("model.layers.3").
using FeedForwardMaker =
    std::function<FeedForward(WeightStore& weights, const std::string& path, int layer)>;

// What a layer has over time in place of attention: x [1, L, H] -> [1, L, H].
using StateMixer = std::function<mx::array(const mx::array& x, StateCache& cache)>;
// Makes that of layer `layer`, or nothing for a layer with attention.
using StateMixerMaker =
    std::function<StateMixer(WeightStore& weights, const std::string& path, int layer)>;

// What a family makes for each layer itself. Without it all layers are attention, and dense.
struct DecoderParts {
  FeedForwardMaker feed_forward;
  StateMixerMaker state_mixer;
};

// `path`.mlp with gate_proj, up_proj and down_proj, or with gate_up_proj.
FeedForward dense_feed_forward(const DecoderConfig& c, WeightStore& weights,
                               const std::string& path);

// Rows of the embedding and the head over the vocabulary, which may be the same matrix.
class Vocabulary {
 public:
  // Reads model.embed_tokens, and lm_head unless the model is tied: it is if config.json says so,
  // or if it says nothing and there is no lm_head.
  Vocabulary(const Config& config, const DecoderConfig& c, WeightStore& weights);

  // ids [1, L] -> [1, L, H], times `embedding_factor`
  mx::array embed(const mx::array& ids) const;
  // hidden [1, L, H] -> float32 logits [1, L, V], divided and capped
  mx::array logits(const Normed& hidden) const;

 private:
  float factor_, divisor_, cap_;
  Embedding embedding_;
  Linear head_;
};

// The skeleton of most families: attention, or what stands in its place, and a feed-forward part in
// each layer, both behind a norm and added to what came in.
class Decoder final : public Model {
 public:
  Decoder(const Config& config, DecoderConfig c, WeightStore& weights, int context_length,
          const DecoderParts& parts = {});

  mx::array body(const mx::array& ids, ModelCache& cache, int outputs) const override;
  mx::array head(const mx::array& hidden) const override;
  ModelCache new_cache(const CacheOptions& options) const override;
  const ModelInfo& info() const override { return info_; }
  int position_regime(int length) const override;
  bool positions_restart_at(int length) const override;

 private:
  struct Layer {
    RmsNorm mixer_norm;
    std::optional<Attention> attention;  // or `state_mixer`
    StateMixer state_mixer;
    std::optional<RmsNorm> after_attention;
    RmsNorm feed_forward_norm;
    FeedForward feed_forward;
    std::optional<RmsNorm> after_feed_forward;
  };
  Layer load_layer(WeightStore& weights, int index, const DecoderParts& parts) const;
  // The last `outputs` positions of the stream h behind the layer's mixer, its norms and the sum
  // included.
  mx::array mix(size_t index, const mx::array& h, const RopeAngles& angles, ModelCache& cache,
                int outputs) const;

  DecoderConfig config_;
  mx::Dtype dtype_;
  // Of keys and values: float16 where weights are packed.
  mx::Dtype cache_dtype_;
  Vocabulary vocabulary_;
  std::vector<Layer> layers_;
  RmsNorm norm_;
  ModelInfo info_;
};

// What info() says of a model with this configuration; `context_length` 0 = the model's own.
ModelInfo info_of(const Config& config, const DecoderConfig& c, int context_length);

}  // namespace llm_host
