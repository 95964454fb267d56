#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encoders/encoder.h"
#include "layers/encoder/pooling.h"
#include "layers/encoder/text_attention.h"
#include "layers/encoder/text_mlp.h"
#include "layers/layer_norm.h"

namespace llm_host {

// In what the families with BERT's layers differ.
struct BertOptions {
  const char* prefix;      // of a checkpoint with a head, "bert."
  int first_position = 0;  // rows of the position table before that of the first token
  // Modules of a classifier: tanh(dense x) of the first token, then the scores.
  const char* dense;
  const char* scores;
};

// Bidirectional layers with norms after attention and feed-forward network, learned positions.
class Bert final : public Encoder {
 public:
  Bert(const Config& config, const EncoderSpec& spec, const BertOptions& options,
       WeightStore& weights, int context_length);

  mx::array operator()(const TextBatch& batch) const override;
  const ModelInfo& info() const override { return info_; }

 private:
  struct Layer {
    TextAttention attention;
    LayerNorm attention_norm;
    TextMlp mlp;
    LayerNorm mlp_norm;
  };
  struct Classifier {
    TextLinear dense, scores;
  };
  // The tables of words, positions and types.
  struct Tables {
    mx::array words, positions;
    std::optional<mx::array> types;
  };
  static Tables load_tables(const Config& config, const BertOptions& options, WeightStore& weights,
                            const std::string& path);
  static Layer load_layer(const Config& config, WeightStore& weights, const std::string& path);
  void load_classifier(const BertOptions& options, WeightStore& weights, const std::string& prefix);
  mx::array embed(const TextBatch& batch) const;

  std::string prefix_;  // of this checkpoint's tensors
  float eps_;
  Pooling pooling_;
  Tables tables_;
  LayerNorm norm_;
  std::vector<Layer> layers_;
  std::optional<Classifier> classifier_;
  ModelInfo info_;
};

}  // namespace llm_host
