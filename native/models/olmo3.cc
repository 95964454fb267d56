#include "models/decoder.h"
#include "models/olmo.h"

namespace llm_host {

// olmo2 with windows in three layers of four; only the others have scaled rotation.
static std::unique_ptr<Model> make_olmo3(const Config& config, WeightStore& weights,
                                         int context_length) {
  DecoderConfig c(config, {.eps = 1e-5});
  set_olmo(config, c);
  std::vector<std::string> types = patterned_types(config, c.layers, 4);
  RopeOptions full{.head_dim = c.head_dim, .max_positions = c.max_positions};
  full.theta = 500000;
  full.layer_type = "full_attention";
  RopeOptions sliding = full;
  sliding.layer_type = "sliding_attention";
  sliding.only_own = true;
  auto scaled = std::make_shared<const Rope>(config, full);
  auto plain = std::make_shared<const Rope>(config, sliding);
  for (size_t i = 0; i < types.size(); ++i) {
    bool windowed = types[i] == "sliding_attention";
    if (windowed) c.windows[i] = config.integer_or("sliding_window", 4096);
    c.ropes.push_back(windowed ? plain : scaled);
  }
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(olmo3, make_olmo3);

}  // namespace llm_host
