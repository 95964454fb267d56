#pragma once

#include "models/decoder.h"

namespace llm_host {

// Gemma's embeddings that a token has for each layer, beside the one that begins the residual
// stream.
class PerLayerInputs {
 public:
  // `vocab`: rows of the table; tokens beyond it have the row of token 0. `size`: of one layer's.
  // Reads model.embed_tokens_per_layer, per_layer_model_projection and per_layer_projection_norm.
  PerLayerInputs(WeightStore& weights, const DecoderConfig& c, int vocab, int size);

  // ids [1, L], their embedding [1, L, H] -> [1, L, layers · size]
  mx::array operator()(const mx::array& ids, const mx::array& embedded) const;

 private:
  int vocab_, layers_, size_;
  bool whole_;  // whether the table has a row for every token
  Embedding table_;
  Linear projection_;
  Norm norm_;
  mx::array table_factor_, projection_factor_, factor_;
};

// Adds one layer's part of them to the stream: h + norm(projection(activation(gate h) · input)).
class PerLayerGate {
 public:
  // Reads `path`.per_layer_input_gate, per_layer_projection and post_per_layer_input_norm.
  PerLayerGate(WeightStore& weights, const std::string& path, const DecoderConfig& c, int layer,
               int size);

  // h [1, L, H], inputs [1, L, layers · size] -> [1, L, H], what is added.
  mx::array operator()(const mx::array& h, const mx::array& inputs) const;

 private:
  int layer_, size_;
  Activation activation_;
  Linear gate_, projection_;
  Norm norm_;
};

}  // namespace llm_host
