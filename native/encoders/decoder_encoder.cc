#include "encoders/decoder_encoder.h"

#include <string>

#include "common/error.h"

namespace llm_host {

DecoderEncoder::DecoderEncoder(const Config& config, const EncoderSpec& spec, WeightStore& weights,
                               int context_length)
    : model_(make_model(config, weights, context_length)), pooling_(pooling_of(spec.pooling)) {
  if (model_->reads_texts()) return;
  throw Error(kModelUnsupported, "config.json: a model of type \"" + info().model_type +
                                     "\" with these settings cannot turn texts into vectors here, "
                                     "only generate text");
}

mx::array DecoderEncoder::operator()(const TextBatch& batch) const {
  return mx::astype(pooled(pooling_, model_->texts(batch), batch), mx::float32);
}

}  // namespace llm_host
