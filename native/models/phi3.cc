#include "models/decoder.h"

namespace llm_host {

// llama with q, k and v in one matrix, and gate and up in another; a part of each head may not
// rotate. mlx-lm ignores sliding_window, and of the longrope factors uses only the long ones.
static std::unique_ptr<Model> make_phi3(const Config& config, WeightStore& weights,
                                        int context_length) {
  DecoderConfig c(config, {.max_positions = 4096, .eps = 1e-5});
  std::vector<std::string> types = layer_types(config, c.layers, kAttentionTypes);
  c.windows = windows_everywhere(config, c, types, 0);
  c.ropes = ropes_of(config, c, types, 10000);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(phi3, make_phi3);

}  // namespace llm_host
