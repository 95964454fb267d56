#include "models/decoder.h"
#include "models/granite_experts.h"
#include "models/granite_swa_base.h"

namespace llm_host {

// granitemoe with windows and sinks, and a dense network beside the experts if there is to be one.
static std::unique_ptr<Model> make_granitemoe_swa(const Config& config, WeightStore& weights,
                                                  int context_length) {
  DecoderConfig c(config);
  set_granite_swa(config, c);
  int shared = config.integer_or("shared_intermediate_size", 0, 0);
  auto feed_forward = [&](WeightStore& store, const std::string& path, int) -> FeedForward {
    FeedForward moe = granite_experts(config, c, store, path + ".block_sparse_moe");
    if (shared == 0) return moe;
    MlpOptions options{c.hidden, shared, false, c.activation};
    options.fused = "input_linear";
    options.down = "output_linear";
    Mlp mlp(store, path + ".shared_mlp", options);
    return [=](const mx::array& x) { return mx::add(moe(x), mlp(x)); };
  };
  return std::make_unique<Decoder>(config, c, weights, context_length,
                                   DecoderParts{feed_forward, nullptr});
}

MODEL_FAMILY(granitemoe_swa, make_granitemoe_swa);

}  // namespace llm_host
