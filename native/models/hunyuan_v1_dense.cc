#include "common/error.h"
#include "models/decoder.h"

namespace llm_host {

// llama whose queries and keys are normed after rotation.
static std::unique_ptr<Model> make_hunyuan_v1_dense(const Config& config, WeightStore& weights,
                                                    int context_length) {
  DecoderConfig c(config, {.eps = 1e-5});
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.qk_norm = QkNorm::kRotatedHeads;
  c.names.query_norm = "query_layernorm";
  c.names.key_norm = "key_layernorm";
  c.ropes = ropes_of(config, c, {}, 10000);
  if (c.ropes[0]->angles(1).amplitude != 1) {
    // The norms would undo it.
    throw Error(kModelUnsupported,
                "config.json: hunyuan_v1_dense is not supported with a rope that scales queries");
  }
  return std::make_unique<Decoder>(config, std::move(c), weights, context_length);
}

MODEL_FAMILY(hunyuan_v1_dense, make_hunyuan_v1_dense, &kHeadsAndNetwork);

}  // namespace llm_host
