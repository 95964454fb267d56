#include "common/error.h"
#include "common/size_limits.h"
#include "models/lfm2_base.h"

namespace llm_host {
namespace {

constexpr int kMaxFeedForward = 1 << 24;

// The width from lfm2's older keys. transformers rounds it up only if there is a multiplier, mlx-lm
// always.
int adjusted_width(const Config& config) {
  const int intermediate = size_or(config, "intermediate_size", 12288, kMaxFeedForward);
  int width = size_or(config, "block_ff_dim", intermediate, kMaxFeedForward);
  if (!config.boolean_or("block_auto_adjust_ff_dim", true)) return width;
  width = static_cast<int>(2.0 * width / 3);
  if (config.mentions("block_ffn_dim_multiplier") && !config.has("block_ffn_dim_multiplier")) {
    return width;
  }
  const double multiplied = config.number_or("block_ffn_dim_multiplier", 1) * width;
  if (!(multiplied >= 1 && multiplied <= kMaxFeedForward)) {
    throw Error(kModelBroken, "config.json: block_ffn_dim_multiplier makes a width of " +
                                  std::to_string(multiplied));
  }
  width = static_cast<int>(multiplied);
  int multiple = size_or(config, "block_multiple_of", 256, kMaxFeedForward);
  return (width + multiple - 1) / multiple * multiple;
}

}  // namespace

// Short convolutions and, in some layers, attention with normed queries and keys.
static std::unique_ptr<Model> make_lfm2(const Config& config, WeightStore& weights,
                                        int context_length) {
  Lfm2Base base(config);
  int width = adjusted_width(config);
  base.parts.feed_forward = [&](WeightStore& store, const std::string& path, int) {
    return base.dense(store, path, width);
  };
  return std::make_unique<Decoder>(config, base.decoder, weights, context_length, base.parts);
}

MODEL_FAMILY(lfm2, make_lfm2);

}  // namespace llm_host
