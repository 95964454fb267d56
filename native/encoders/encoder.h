#pragma once

#include <memory>

#include "layers/encoder/text_batch.h"
#include "models/model_info.h"
#include "weights/load_spec.h"
#include "weights/weight_store.h"

namespace llm_host {

namespace mx = mlx::core;

// A model that reads whole texts and gives a vector for each: an embedding, or the scores of a
// classifier.
class Encoder {
 public:
  virtual ~Encoder() = default;

  // -> float32 [texts, info().hidden_size]. On a CPU each layer is evaluated before the next, so
  // that activations stay in its caches.
  virtual mx::array operator()(const TextBatch& batch) const = 0;
  // `hidden_size`: numbers of a vector; `context_length`: tokens of a text.
  virtual const ModelInfo& info() const = 0;
};

using MakeEncoder = std::unique_ptr<Encoder>(const Config&, const EncoderSpec&, WeightStore&,
                                             int context_length);

// As ModelFamily; src/model/encoder/encoder-types.ts lists them.
struct EncoderFamily {
  EncoderFamily(const char* model_type, MakeEncoder* make);
};

// The encoder of config.json's model_type; of a family of decoders, one that reads texts by it.
// `context_length` as in make_model. Throws MODEL_UNSUPPORTED or MODEL_BROKEN.
std::unique_ptr<Encoder> make_encoder(const Config& config, const EncoderSpec& spec,
                                      WeightStore& weights, int context_length);

}  // namespace llm_host
