#include "common/error.h"
#include "layers/plain_mlp.h"
#include "models/decoder.h"

namespace llm_host {
namespace {

// The default of transformers if config.json has no rope parameters; rope_theta does not count
// then.
const Value& apertus_rope() {
  static const Value kDefault(
      Value::Object{{"rope_parameters",
                     Value(Value::Object{{"rope_theta", Value(12000000.0)},
                                         {"rope_type", Value(std::string("llama3"))},
                                         {"factor", Value(8.0)},
                                         {"low_freq_factor", Value(1.0)},
                                         {"high_freq_factor", Value(4.0)},
                                         {"original_max_position_embeddings", Value(8192.0)}})}});
  return kDefault;
}

// Tensors; in a GGUF file, a list for each with the numbers of all layers.
XieLu::Numbers activation(const Config& config, WeightStore& weights, const std::string& path,
                          size_t layer) {
  std::optional<Config> lists = config.object("xielu");
  if (!lists) return XieLu::read(weights, path + ".mlp.act_fn");
  auto number = [&](const char* key) {
    std::vector<double> numbers = lists->numbers(key);
    if (layer < numbers.size()) return static_cast<float>(numbers[layer]);
    throw Error(kModelBroken, "config.json: " + lists->path_of(key) + " has no number for layer " +
                                  std::to_string(layer));
  };
  return {number("alpha_p"), number("alpha_n"), number("beta"), number("eps")};
}

}  // namespace

// llama with norms of q and k, and xIELU without a gate.
static std::unique_ptr<Model> make_apertus(const Config& config, WeightStore& weights,
                                           int context_length) {
  DecoderConfig c(config, {.max_positions = 65536, .eps = 1e-5, .activation_key = nullptr});
  if (config.string_or("hidden_act", "xielu") != "xielu") {
    throw Error(kModelUnsupported, "config.json: hidden_act must be xielu for apertus");
  }
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = QkNorm::kHeads;
  c.names.mixer_norm = "attention_layernorm";
  c.names.feed_forward_norm = "feedforward_layernorm";
  bool own_rope = config.has("rope_parameters") || config.has("rope_scaling");
  c.ropes = ropes_of(own_rope ? config : Config(apertus_rope()), c, {}, 12000000);
  auto feed_forward = [&](WeightStore& store, const std::string& path, int layer) -> FeedForward {
    XieLu::Numbers numbers = activation(config, store, path, static_cast<size_t>(layer));
    return PlainMlp(Linear::load(store, path + ".mlp.up_proj", c.intermediate, c.hidden, false),
                    Linear::load(store, path + ".mlp.down_proj", c.hidden, c.intermediate, false),
                    XieLu(numbers, store.dtype()));
  };
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{feed_forward, nullptr});
}

MODEL_FAMILY(apertus, make_apertus);

}  // namespace llm_host
