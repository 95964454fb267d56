#include <algorithm>
#include <string>
#include <vector>

#include "common/error.h"
#include "encoders/encoder.h"
#include "kernels/base/cpu_op.h"
#include "layers/encoder/pooling.h"
#include "layers/encoder/text_attention.h"
#include "layers/encoder/text_mlp.h"
#include "layers/encoder/text_tables.h"
#include "layers/layer_norm.h"
#include "layers/rope/rope.h"

namespace llm_host {
namespace {

// Refuses options of the published code that no published embedding model uses.
void check_nomic_bert(const Config& config) {
  for (const char* key : {"qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias", "prenorm",
                          "use_rms_norm", "parallel_block", "causal"}) {
    if (!config.boolean_or(key, false)) continue;
    throw Error(kModelUnsupported,
                std::string("config.json: ") + key + " is not supported for this model_type");
  }
}

struct Sizes {
  int hidden, heads, intermediate, positions;
  float eps;
};

Sizes sizes_of(const Config& config) {
  check_nomic_bert(config);
  Sizes sizes{config.integer("hidden_size"), config.integer("num_attention_heads"),
              config.integer("intermediate_size"), config.integer("max_position_embeddings"),
              static_cast<float>(config.number_or("layer_norm_eps", 1e-12))};
  if (sizes.hidden % (2 * sizes.heads) == 0) return sizes;
  throw Error(kModelBroken, "config.json: hidden_size " + std::to_string(sizes.hidden) +
                                " does not give num_attention_heads " +
                                std::to_string(sizes.heads) + " an even number of channels each");
}

RopeAngles angles_of(const Config& config, const Sizes& sizes) {
  RopeOptions options{
      .head_dim = sizes.hidden / sizes.heads, .max_positions = sizes.positions, .theta = 1000};
  Rope rope(config, options);
  if (rope.regime(sizes.positions) == 0) return rope.angles(1);
  throw Error(kModelUnsupported,
              "config.json: rotary positions that depend on a text's length are not supported for "
              "this model_type");
}

// BERT with rotary positions, gated feed-forward networks, and no biases but those of the norms.
class NomicBert final : public Encoder {
 public:
  NomicBert(const Config& config, const EncoderSpec& spec, WeightStore& weights,
            int context_length);

  mx::array operator()(const TextBatch& batch) const override;
  const ModelInfo& info() const override { return info_; }

 private:
  struct Layer {
    TextAttention attention;
    LayerNorm attention_norm;
    TextGatedMlp mlp;
    LayerNorm mlp_norm;
  };
  Layer load_layer(WeightStore& weights, const std::string& path, const RopeAngles& angles,
                   Activation activation) const;

  Sizes sizes_;
  Pooling pooling_;
  mx::array words_, types_;
  LayerNorm norm_;
  std::vector<Layer> layers_;
  ModelInfo info_;
};

mx::array table(WeightStore& weights, const char* name, int rows, int hidden) {
  return weights.tensor(std::string("embeddings.") + name + "_embeddings.weight", {rows, hidden});
}

NomicBert::NomicBert(const Config& config, const EncoderSpec& spec, WeightStore& weights,
                     int context_length)
    : sizes_(sizes_of(config)),
      pooling_(pooling_of(spec.pooling)),
      words_(table(weights, "word", config.integer("vocab_size"), sizes_.hidden)),
      types_(
          table(weights, "token_type", config.integer_or("type_vocab_size", 2, 2), sizes_.hidden)),
      norm_(weights, "emb_ln", sizes_.hidden, sizes_.eps) {
  info_.model_type = config.string("model_type");
  info_.layers = config.integer("num_hidden_layers");
  info_.vocab_size = config.integer("vocab_size");
  info_.hidden_size = sizes_.hidden;
  info_.context_length =
      context_length == 0 ? sizes_.positions : std::min(context_length, sizes_.positions);
  RopeAngles angles = angles_of(config, sizes_);
  Activation activation = activation_of(config.string_or("hidden_act", "silu"));
  for (int i = 0; i < info_.layers; ++i) {
    std::string path = "encoder.layers." + std::to_string(i);
    layers_.push_back(load_layer(weights, path, angles, activation));
  }
  // A head for another task.
  weights.ignore("cls.");
}

NomicBert::Layer NomicBert::load_layer(WeightStore& weights, const std::string& path,
                                       const RopeAngles& angles, Activation activation) const {
  auto [hidden, heads, intermediate, positions, eps] = sizes_;
  std::string mlp = path + ".mlp.";
  return {
      {weights, {{path + ".attn.Wqkv"}, path + ".attn.out_proj"}, {hidden, heads, false, angles}},
      {weights, path + ".norm1", hidden, eps},
      {weights, {mlp + "fc12", mlp + "fc11", mlp + "fc2"}, hidden, intermediate, activation},
      {weights, path + ".norm2", hidden, eps}};
}

mx::array NomicBert::operator()(const TextBatch& batch) const {
  mx::array x = norm_(sum_of_rows({{batch.ids, words_}, {batch.types, types_}}));
  for (const Layer& layer : layers_) {
    x = layer.attention_norm(layer.attention(x, batch));
    x = layer.mlp_norm(layer.mlp(x));
    if (cpu::usable()) x.eval();
  }
  return mx::astype(pooled(pooling_, x, batch), mx::float32);
}

std::unique_ptr<Encoder> make_nomic_bert(const Config& config, const EncoderSpec& spec,
                                         WeightStore& weights, int context_length) {
  return std::make_unique<NomicBert>(config, spec, weights, context_length);
}

const EncoderFamily kNomicBert("nomic_bert", make_nomic_bert);

}  // namespace
}  // namespace llm_host
