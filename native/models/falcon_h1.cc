#include <algorithm>

#include "common/error.h"
#include "common/size_limits.h"
#include "models/decoder.h"
#include "models/mamba.h"

namespace llm_host {
namespace {

// Numbers that training multiplied activations with.
std::vector<float> multipliers(const Config& config, const char* key, size_t count) {
  if (!config.has(key)) return std::vector<float>(count, 1);
  std::vector<double> given = config.numbers(key);
  if (given.size() == count) return {given.begin(), given.end()};
  throw Error(kModelBroken, std::string("config.json: ") + key + " must hold " +
                                std::to_string(count) + " numbers, got " +
                                std::to_string(given.size()));
}

float multiplier(const Config& config, const char* key) {
  return static_cast<float>(config.number_or(key, 1));
}

Mamba2::Shape falcon_mamba_shape(const Config& config, const DecoderConfig& c) {
  constexpr char kChannels[] = "mamba_d_ssm";
  int channels = size_or(config, kChannels, mamba_channels(config, c), 1 << 24);
  Mamba2::Shape s = read_mamba(config, c, channels, kChannels);
  s.output_bias = config.boolean_or("projectors_bias", false);
  s.norm = config.boolean_or("mamba_rms_norm", false);
  std::vector<float> factors = multipliers(config, "ssm_multipliers", s.factors.size());
  std::copy(factors.begin(), factors.end(), s.factors.begin());
  return s;
}

void check_supported(const Config& config) {
  bool normed = config.boolean_or("mamba_rms_norm", false);
  if (normed && config.boolean_or("mamba_norm_before_gate", true)) {
    throw Error(kModelUnsupported,
                "config.json: mamba_norm_before_gate is not supported with mamba_rms_norm");
  }
  if (!config.boolean_or("attention_bias", false)) return;
  throw Error(kModelUnsupported, "config.json: attention_bias is not supported for falcon_h1");
}

// silu(factor · gate x) · up x, and a factor of the result.
FeedForward feed_forward(WeightStore& weights, const std::string& path, const DecoderConfig& c,
                         const std::vector<float>& factors) {
  auto load = [&](const char* name, int out, int in) {
    return Linear::load(weights, path + ".feed_forward." + name, out, in, c.mlp_bias);
  };
  if (c.intermediate < 1) throw Error(kModelBroken, "config.json has no intermediate_size");
  Linear gate = load("gate_proj", c.intermediate, c.hidden);
  Linear up = load("up_proj", c.intermediate, c.hidden);
  Linear down = load("down_proj", c.hidden, c.intermediate);
  return [=, activation = c.activation](const mx::array& x) {
    mx::array inner = gated(activation, scaled(gate(x), factors[0]), up(x));
    return scaled(down(inner), factors[1]);
  };
}

}  // namespace

// Mamba-2 beside attention in each layer, and a factor at every place.
static std::unique_ptr<Model> make_falcon_h1(const Config& config, WeightStore& weights,
                                             int context_length) {
  check_supported(config);
  DecoderConfig c(config, {.max_positions = 8192, .eps = 1e-5});
  c.mlp_bias = config.boolean_or("mlp_bias", false);
  c.names.feed_forward_norm = "pre_ff_layernorm";
  c.names.final_norm = "model.final_layernorm";
  c.ropes = ropes_of(config, c, {}, 100000);
  c.embedding_factor = multiplier(config, "embedding_multiplier");
  c.logit_divisor = 1 / positive_or(config, "lm_head_multiplier", 1);
  // Without biases these are factors of queries and keys, and of what is added to the stream.
  float input = multiplier(config, "attention_in_multiplier");
  c.attention_scale *= multiplier(config, "key_multiplier") * input * input;
  c.adjust_attention = [=, factor = input * multiplier(config, "attention_out_multiplier")](
                           int, AttentionOptions& options) { options.output_factor = factor; };

  Mamba2::Shape shape = falcon_mamba_shape(config, c);
  float in = multiplier(config, "ssm_in_multiplier"),
        out = multiplier(config, "ssm_out_multiplier");
  std::vector<float> factors = multipliers(config, "mlp_multipliers", 2);
  DecoderParts parts;
  parts.attention_beside = true;
  parts.state_mixer = [=](WeightStore& store, const std::string& path, int) -> StateMixer {
    Mamba2 mamba(store, path + ".mamba", shape);
    return [=](const mx::array& x, StateCache& cache) {
      return scaled(mamba(scaled(x, in), cache), out);
    };
  };
  parts.feed_forward = [&](WeightStore& store, const std::string& path, int) {
    return feed_forward(store, path, c, factors);
  };
  return std::make_unique<Decoder>(config, c, weights, context_length, parts);
}

MODEL_FAMILY(falcon_h1, make_falcon_h1);

}  // namespace llm_host
