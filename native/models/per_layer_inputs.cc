#include "models/per_layer_inputs.h"

#include <cmath>

#include "kernels/ops.h"
#include "models/gemma.h"

namespace llm_host {

PerLayerInputs::PerLayerInputs(WeightStore& weights, const DecoderConfig& c, int vocab, int size)
    : vocab_(vocab),
      layers_(c.layers),
      size_(size),
      whole_(vocab >= c.vocab),
      table_(WeightMatrix::load(weights, "model.embed_tokens_per_layer", vocab, c.layers * size)),
      projection_(Linear::load(weights, "model.per_layer_model_projection", c.layers * size,
                               c.hidden, false)),
      norm_(weights, "model.per_layer_projection_norm", size, c.norm()),
      table_factor_(rounded_root(size, weights.stored_dtype()), weights.dtype()),
      projection_factor_(1 / std::sqrt(static_cast<float>(c.hidden)), weights.dtype()),
      factor_(std::sqrt(0.5f), weights.dtype()) {}

mx::array PerLayerInputs::operator()(const mx::array& ids, const mx::array& embedded) const {
  mx::array known =
      whole_ ? ids : mx::where(mx::less(ids, mx::array(vocab_)), ids, mx::zeros_like(ids));
  mx::array of_token = mx::multiply(table_(known), table_factor_);
  mx::array projected = mx::multiply(projection_(embedded), projection_factor_);
  mx::Shape each{1, ids.shape(1), layers_, size_};
  mx::array normed = mx::reshape(norm_(mx::reshape(projected, each)), of_token.shape());
  return mx::multiply(mx::add(normed, of_token), factor_);
}

PerLayerGate::PerLayerGate(WeightStore& weights, const std::string& path, const DecoderConfig& c,
                           int layer, int size)
    : layer_(layer),
      size_(size),
      activation_(c.activation),
      gate_(Linear::load(weights, path + ".per_layer_input_gate", size, c.hidden, false)),
      projection_(Linear::load(weights, path + ".per_layer_projection", c.hidden, size, false)),
      norm_(weights, path + ".post_per_layer_input_norm", c.hidden, c.norm()) {}

mx::array PerLayerGate::operator()(const mx::array& h, const mx::array& inputs) const {
  mx::Shape start{0, 0, layer_ * size_}, stop{1, h.shape(1), (layer_ + 1) * size_};
  mx::array own = mx::slice(inputs, start, stop);
  if (cpu::usable()) own = mx::contiguous(own);
  return norm_(projection_(gated(activation_, gate_(h), own)));
}

}  // namespace llm_host
