#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/decoder_config.h"
#include "models/feed_forward.h"
#include "models/model.h"
#include "models/vocabulary.h"

namespace llm_host {

// A recurrent mixer in place of attention, or beside it: x [1, L, H] -> [1, L, H].
using StateMixer = std::function<mx::array(const mx::array& x, StateCache& cache)>;
// Makes the one of layer `layer`, or nothing for a layer with attention only.
using StateMixerMaker =
    std::function<StateMixer(WeightStore& weights, const std::string& path, int layer)>;

// The inputs that the ends of layers get besides the stream, from ids [1, L] and their embedding
// [1, L, H]: [1, L, N].
using EndInputs = std::function<mx::array(const mx::array& ids, const mx::array& embedded)>;
// The end of a layer on the residual stream: h [1, L, H] and the inputs of its positions, if
// there are any -> [1, L, H].
using LayerEnd =
    std::function<mx::array(const mx::array& h, const std::optional<mx::array>& inputs)>;
using LayerEndMaker =
    std::function<LayerEnd(WeightStore& weights, const std::string& path, int layer)>;

// Parts of a layer that a family makes itself. Default: attention, and a dense feed-forward
// network.
struct DecoderParts {
  FeedForwardMaker feed_forward;
  StateMixerMaker state_mixer;
  // Layers with a state mixer have attention too.
  bool attention_beside = false;
  EndInputs end_inputs = nullptr;
  LayerEndMaker layer_end = nullptr;
};

// The architecture of most families: each layer has attention, or another mixer, and a feed-forward
// network; each has a norm before it, or after it, or both, and is added to the residual stream.
class Decoder final : public Model {
 public:
  Decoder(const Config& config, DecoderConfig c, WeightStore& weights, int context_length,
          const DecoderParts& parts = {});

  mx::array body(const mx::array& ids, ModelCache& cache, int outputs) const override;
  mx::array step(const mx::array& ids, std::span<ModelCache* const> caches) const override;
  mx::array head(const mx::array& hidden) const override;
  ModelCache new_cache(const CacheOptions& options) const override;
  bool reads_texts() const override;
  mx::array texts(const TextBatch& batch) const override;
  const ModelInfo& info() const override { return info_; }
  int position_regime(int length) const override;
  bool positions_restart_at(int length) const override;

 private:
  struct Layer {
    std::optional<Norm> mixer_norm;
    std::optional<Attention> attention;
    std::optional<LatentAttention> latent_attention;
    StateMixer state_mixer;
    std::optional<Norm> after_mixer;
    std::optional<Norm> feed_forward_norm;
    std::optional<FeedForward> feed_forward;
    std::optional<Norm> after_feed_forward;
    LayerEnd end;
    // Where its caches are in a ModelCache.
    size_t attention_cache = 0, state_cache = 0;

    bool attends() const { return attention || latent_attention; }
    bool mixes() const { return attends() || state_mixer; }
  };
  Layer load_layer(WeightStore& weights, int index, const DecoderParts& parts) const;
  // Gives the last layer its places in a ModelCache.
  void place_caches();
  bool owns_cache(size_t index) const;
  mx::array plus(const mx::array& h, const mx::array& part) const;
  // Whether a part may add the residual stream to its result itself.
  bool adds_residuals() const;
  // h + what a state mixer makes.
  mx::array add_state(const Layer& layer, const mx::array& h, const mx::array& part) const;
  // h + attention, where `attend` gives what a layer's attention adds to an optional residual.
  template <typename Attend>
  mx::array add_attention(const Layer& layer, const mx::array& h, Attend&& attend) const;
  // The residual stream after a layer, the last `kept` positions of it. `mix` gives it after the
  // mixer, from the mixer's input and those positions of the stream before it.
  template <typename Mix>
  mx::array through(const Layer& layer, const mx::array& h, int kept, Mix&& mix) const;
  // The stream after the layer's end.
  mx::array ended(const Layer& layer, const mx::array& h,
                  const std::optional<mx::array>& inputs) const;
  std::optional<mx::array> end_inputs(const mx::array& ids, const mx::array& h) const;
  mx::array mix(size_t index, const Normed& x, const mx::array& rest, const AttentionStep& step,
                ModelCache& cache) const;
  // The mixer for the next token of several sequences.
  mx::array mix_step(size_t index, const Normed& x, const mx::array& rest,
                     std::span<ModelCache* const> caches, std::span<const int> lengths) const;
  // One of several sequences: where its attention is computed.
  template <typename Row, typename Cache>
  std::vector<Row> attention_rows(size_t index, std::span<ModelCache* const> caches,
                                  std::span<const int> lengths,
                                  Cache& (ModelCache::*cache_of)(size_t)) const;
  // The recurrent mixer's result for each.
  mx::array mix_states(size_t index, const Normed& input,
                       std::span<ModelCache* const> caches) const;
  // h plus the feed-forward network of x.
  mx::array feed_forward(const Layer& layer, const Normed& x, const mx::array& h) const;
  const RopeAngles& angles_of(size_t index, int length) const;

  DecoderConfig config_;
  mx::Dtype dtype_;
  // The type of keys and values: float16 where weights are packed.
  mx::Dtype cache_dtype_;
  Vocabulary vocabulary_;
  EndInputs end_inputs_;
  std::vector<Layer> layers_;
  size_t caches_ = 0;  // of all layers
  // The last layer that remembers anything: from its mixer on, only positions count whose output
  // is asked for.
  size_t last_remembering_ = 0;
  Norm norm_;
  ModelInfo info_;
};

// info() of a model with this configuration; `context_length` as in make_model.
ModelInfo info_of(const Config& config, const DecoderConfig& c, int context_length);

}  // namespace llm_host
