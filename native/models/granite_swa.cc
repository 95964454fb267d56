#include "models/decoder.h"
#include "models/granite_swa_base.h"

namespace llm_host {

// granite with windows and sinks.
static std::unique_ptr<Model> make_granite_swa(const Config& config, WeightStore& weights,
                                               int context_length) {
  DecoderConfig c(config, {.eps = 1e-5});
  set_granite_swa(config, c);
  c.mlp_bias = config.boolean_or("mlp_bias", false);
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(granite_swa, make_granite_swa);

}  // namespace llm_host
