#include "models/decoder.h"

namespace llm_host {
namespace {

// sliding_window_pattern: which layers have full attention, as "LLLG" or 4.
std::vector<std::string> exaone4_layer_types(const Config& config, int layers) {
  const Value* value = config.find("sliding_window_pattern");
  const std::string* letters = value != nullptr ? value->as<std::string>() : nullptr;
  int every = 4;
  if (letters != nullptr) {
    every = static_cast<int>(letters->size());
  } else if (value != nullptr) {
    every = config.integer_or("sliding_window_pattern", 4);
  }
  return patterned_types(config, layers, every);
}

}  // namespace

// Norms as in olmo2, but those of q and k over each head. Windows in three layers of four; the
// layers without one have no positions, unless there are no windows at all. mlx-lm reads the
// windows from another form of sliding_window_pattern.
static std::unique_ptr<Model> make_exaone4(const Config& config, WeightStore& weights,
                                           int context_length) {
  DecoderConfig c(config, {.eps = 1e-5});
  bool windows = config.has("sliding_window") || !config.mentions("sliding_window");
  std::vector<std::string> types =
      windows ? exaone4_layer_types(config, c.layers) : patterned_types(config, c.layers, 0);
  c.qk_norm = QkNorm::kHeads;
  c.names.mixer_norm = nullptr;
  c.names.after_mixer = "post_attention_layernorm";
  c.names.feed_forward_norm = nullptr;
  c.names.after_feed_forward = "post_feedforward_layernorm";
  c.ropes = ropes_of(config, c, {}, 10000);
  for (size_t i = 0; i < types.size(); ++i) {
    bool sliding = windows && types[i] == "sliding_attention";
    if (sliding) c.windows[i] = config.integer_or("sliding_window", 4096);
    if (windows && !sliding) c.ropes[i] = nullptr;
  }
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(exaone4, make_exaone4);

}  // namespace llm_host
