#pragma once

#include <memory>

#include "encoders/encoder.h"
#include "layers/encoder/pooling.h"
#include "models/model.h"

namespace llm_host {

// A decoder of any family that turns texts into vectors: its hidden states behind the last norm,
// pooled.
class DecoderEncoder final : public Encoder {
 public:
  // Throws MODEL_UNSUPPORTED for a family whose layers need a sequence of their own.
  DecoderEncoder(const Config& config, const EncoderSpec& spec, WeightStore& weights,
                 int context_length);

  mx::array operator()(const TextBatch& batch) const override;
  const ModelInfo& info() const override { return model_->info(); }

 private:
  std::unique_ptr<Model> model_;
  Pooling pooling_;
};

}  // namespace llm_host
