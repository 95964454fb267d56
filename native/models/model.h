#pragma once

#include <memory>
#include <span>

#include "layers/cache/model_cache.h"
#include "layers/encoder/text_batch.h"
#include "layers/sharding/sharding.h"
#include "mlx/mlx.h"
#include "models/model_info.h"
#include "weights/weight_store.h"

namespace llm_host {

namespace mx = mlx::core;

// A decoder-only model. Arrays are lazy: nothing is computed until the caller evaluates them.
class Model {
 public:
  virtual ~Model() = default;

  // ids [1, L] int32 -> hidden states of the last `outputs` positions [1, outputs, H]; appends L
  // positions to the cache. outputs: 1 to L.
  virtual mx::array body(const mx::array& ids, ModelCache& cache, int outputs) const = 0;
  // The next token of several sequences in one pass over the weights: ids [1, N] int32, one for
  // each cache -> hidden states [1, N, H]; appends one position to each cache. Where a cache comes
  // several times in a row, the next tokens of its sequence, all in one regime of positions.
  virtual mx::array step(const mx::array& ids, std::span<ModelCache* const> caches) const = 0;
  // hidden [1, L, H] -> logits [1, L, V].
  virtual mx::array head(const mx::array& hidden) const = 0;
  // An empty cache for a sequence.
  virtual ModelCache new_cache(const CacheOptions& options) const = 0;
  virtual const ModelInfo& info() const = 0;

  // Whether `texts` can be called.
  virtual bool reads_texts() const { return false; }
  // Several whole texts -> their hidden states behind the last norm [rows, columns of the batch,
  // H]. On a CPU each layer is evaluated before the next, so that activations stay in its caches.
  virtual mx::array texts(const TextBatch& batch) const;

  // For position angles that depend on the sequence's length; see Rope::regime and
  // Rope::restarts_at.
  virtual int position_regime(int length) const { return 0; }
  virtual bool positions_restart_at(int length) const { return false; }
};

using MakeModel = std::unique_ptr<Model>(const Config&, WeightStore&, int context_length);

// Registers a family under its model_type at start-up; each family's file defines one.
// src/model/model-types.ts lists them all, so that other models are refused before any work.
struct ModelFamily {
  // `sharding`: how its layers are divided over processes; nullptr: not yet.
  ModelFamily(const char* model_type, MakeModel* make, const Sharding* sharding = nullptr);
};
#define MODEL_FAMILY(model_type, ...) \
  static const ModelFamily model_type##_family(#model_type, __VA_ARGS__)

// Throws MODEL_UNSUPPORTED where the family's layers cannot be divided.
const Sharding& sharding_of(const Config& config);

// Builds the model of config.json's model_type. `context_length`: 0 or above the model's maximum =
// that maximum. Throws MODEL_UNSUPPORTED or MODEL_BROKEN.
std::unique_ptr<Model> make_model(const Config& config, WeightStore& weights, int context_length);

}  // namespace llm_host
