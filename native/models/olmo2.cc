#include "models/decoder.h"
#include "models/olmo.h"

namespace llm_host {

// No norms before attention and feed-forward but after them, and norms over all of q and of k.
static std::unique_ptr<Model> make_olmo2(const Config& config, WeightStore& weights,
                                         int context_length) {
  DecoderConfig c(config, {.eps = 1e-5});
  set_olmo(config, c);
  c.ropes = ropes_of(config, c, {}, 10000);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(olmo2, make_olmo2);

}  // namespace llm_host
