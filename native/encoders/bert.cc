#include "encoders/bert.h"

#include <algorithm>

#include "common/error.h"
#include "kernels/base/cpu_op.h"
#include "layers/encoder/text_tables.h"

namespace llm_host {
namespace {

std::string prefix_of(const WeightStore& weights, const char* prefix) {
  bool has_head = weights.has(std::string(prefix) + "embeddings.word_embeddings.weight");
  return has_head ? prefix : "";
}

void check_bert(const Config& config) {
  std::string positions = config.string_or("position_embedding_type", "absolute");
  if (positions != "absolute") {
    throw Error(kModelUnsupported, "config.json: position_embedding_type \"" + positions +
                                       "\" is not supported; supported is: absolute");
  }
  if (config.boolean_or("is_decoder", false)) {
    throw Error(kModelUnsupported, "config.json: is_decoder is not supported for this model_type");
  }
  int hidden = config.integer("hidden_size"), heads = config.integer("num_attention_heads");
  if (hidden % heads == 0) return;
  throw Error(kModelBroken, "config.json: hidden_size " + std::to_string(hidden) +
                                " is not a multiple of num_attention_heads " +
                                std::to_string(heads));
}

float eps_of(const Config& config) {
  check_bert(config);
  return static_cast<float>(config.number_or("layer_norm_eps", 1e-12));
}

}  // namespace

Bert::Tables Bert::load_tables(const Config& config, const BertOptions& options,
                               WeightStore& weights, const std::string& path) {
  int hidden = config.integer("hidden_size");
  int positions = config.integer("max_position_embeddings");
  int types = config.integer_or("type_vocab_size", 2);
  auto table = [&](const char* name, int rows) {
    return weights.tensor(path + name + ".weight", {rows, hidden});
  };
  Tables tables{table("word_embeddings", config.integer("vocab_size")),
                table("position_embeddings", positions), table("token_type_embeddings", types)};
  if (options.first_position >= positions) {
    throw Error(kModelBroken, "config.json: max_position_embeddings " + std::to_string(positions) +
                                  " leaves no position behind pad_token_id");
  }
  tables.positions = mx::slice(tables.positions, {options.first_position, 0}, {positions, hidden});
  // A single type is the same for every token.
  if (types == 1) tables.positions = mx::add(tables.positions, *tables.types);
  tables.positions = mx::contiguous(tables.positions);
  tables.positions.eval();
  if (types == 1) tables.types.reset();
  return tables;
}

Bert::Layer Bert::load_layer(const Config& config, WeightStore& weights, const std::string& path) {
  int hidden = config.integer("hidden_size");
  float eps = eps_of(config);
  std::string self = path + ".attention.self.", output = path + ".attention.output";
  return {
      {weights,
       {{self + "query", self + "key", self + "value"}, output + ".dense"},
       {hidden, config.integer("num_attention_heads")}},
      {weights, output + ".LayerNorm", hidden, eps},
      {weights,
       {path + ".intermediate.dense", path + ".output.dense"},
       hidden,
       config.integer("intermediate_size"),
       config.string_or("hidden_act", "gelu")},
      {weights, path + ".output.LayerNorm", hidden, eps},
  };
}

Bert::Bert(const Config& config, const EncoderSpec& spec, const BertOptions& options,
           WeightStore& weights, int context_length)
    : prefix_(prefix_of(weights, options.prefix)),
      eps_(eps_of(config)),
      pooling_(pooling_of(spec.pooling)),
      tables_(load_tables(config, options, weights, prefix_ + "embeddings.")),
      norm_(weights, prefix_ + "embeddings.LayerNorm", config.integer("hidden_size"), eps_) {
  info_.model_type = config.string("model_type");
  info_.layers = config.integer("num_hidden_layers");
  info_.vocab_size = config.integer("vocab_size");
  info_.hidden_size = config.integer("hidden_size");
  info_.context_length = tables_.positions.shape(0);
  if (context_length != 0) {
    info_.context_length = std::min(context_length, info_.context_length);
  }
  for (int i = 0; i < info_.layers; ++i) {
    layers_.push_back(load_layer(config, weights, prefix_ + "encoder.layer." + std::to_string(i)));
  }
  load_classifier(options, weights, prefix_);
  // Indices that are computed here, and heads for other tasks.
  for (const char* name : {"embeddings.position_ids", "embeddings.token_type_ids", "pooler."}) {
    weights.ignore(prefix_ + name);
  }
  for (const char* name : {"cls.", "lm_head."}) weights.ignore(name);
}

void Bert::load_classifier(const BertOptions& options, WeightStore& weights,
                           const std::string& prefix) {
  std::vector<int64_t> shape = weights.shape(std::string(options.scores) + ".weight");
  if (shape.empty()) return;
  int hidden = info_.hidden_size, labels = static_cast<int>(shape[0]);
  classifier_ = Classifier{{weights, {options.dense}, hidden, hidden},
                           {weights, {options.scores}, labels, hidden}};
  info_.hidden_size = labels;
}

mx::array Bert::embed(const TextBatch& batch) const {
  std::vector<cpu::Lookup> lookups{{batch.ids, tables_.words},
                                   {batch.positions, tables_.positions}};
  if (tables_.types) lookups.push_back({batch.types, *tables_.types});
  return norm_(sum_of_rows(lookups));
}

mx::array Bert::operator()(const TextBatch& batch) const {
  mx::array x = embed(batch);
  for (const Layer& layer : layers_) {
    x = layer.attention_norm(layer.attention(x, batch));
    x = layer.mlp_norm(layer.mlp(x));
    if (cpu::usable()) x.eval();
  }
  if (!classifier_) return mx::astype(pooled(pooling_, x, batch), mx::float32);
  mx::array first = pooled(Pooling::kFirst, x, batch);
  return mx::astype(classifier_->scores(mx::tanh(classifier_->dense(first))), mx::float32);
}

static std::unique_ptr<Encoder> make_bert(const Config& config, const EncoderSpec& spec,
                                          WeightStore& weights, int context_length) {
  return std::make_unique<Bert>(
      config, spec,
      BertOptions{.prefix = "bert.", .dense = "bert.pooler.dense", .scores = "classifier"}, weights,
      context_length);
}

// Positions are counted from behind the padding's id on.
static std::unique_ptr<Encoder> make_roberta(const Config& config, const EncoderSpec& spec,
                                             WeightStore& weights, int context_length) {
  BertOptions options{.prefix = "roberta.",
                      .first_position = config.integer_or("pad_token_id", 1, 0) + 1,
                      .dense = "classifier.dense",
                      .scores = "classifier.out_proj"};
  return std::make_unique<Bert>(config, spec, options, weights, context_length);
}

static const EncoderFamily kBert("bert", make_bert);
static const EncoderFamily kRoberta("roberta", make_roberta);
static const EncoderFamily kXlmRoberta("xlm-roberta", make_roberta);

}  // namespace llm_host
