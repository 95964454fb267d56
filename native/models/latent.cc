#include "models/latent.h"

#include <cmath>

#include "common/error.h"
#include "common/size_limits.h"

namespace llm_host {
namespace {

// Far beyond any model: products of a size with the heads are ints.
constexpr int kMaxLatentSize = 1 << 13;

// The factor of the scores by yarn's mscale_all_dim.
double score_factor(const Config& config) {
  std::optional<Config> section = config.object("rope_scaling");
  if (!section) section = config.object("rope_parameters");
  if (!section) return 1;
  std::string type = section->string_or("rope_type", section->string_or("type", "default"));
  double all_dim = section->number_or("mscale_all_dim", 0);
  if (type == "default" || all_dim == 0) return 1;
  double factor = section->number("factor");
  double mscale = factor <= 1 ? 1 : 0.1 * all_dim * std::log(factor) + 1;
  return mscale * mscale;
}

}  // namespace

void read_latent_attention(const Config& config, DecoderConfig& c, const LatentDefaults& d) {
  auto size = [&](const char* key, int missing) {
    return size_or(config, key, missing, kMaxLatentSize);
  };
  LatentAttentionOptions o{};
  o.hidden = c.hidden;
  o.heads = c.heads;
  // With null, one matrix makes the queries.
  bool one = config.mentions("q_lora_rank") && !config.has("q_lora_rank");
  o.query_rank = one ? 0 : size("q_lora_rank", d.query_rank);
  o.rank = size("kv_lora_rank", d.rank);
  o.plain_dim = size("qk_nope_head_dim", d.plain_dim);
  o.rotary_dim = size("qk_rope_head_dim", d.rotary_dim);
  o.value_dim = size("v_head_dim", d.value_dim);
  o.bias = config.boolean_or("attention_bias", false);
  if (o.rotary_dim % 2 != 0) {
    throw Error(kModelBroken,
                "config.json: qk_rope_head_dim must be even, got " + std::to_string(o.rotary_dim));
  }
  double dim = o.plain_dim + o.rotary_dim;
  o.scale = static_cast<float>(score_factor(config) / std::sqrt(dim));
  c.head_dim = o.rotary_dim;
  c.latent = o;
}

}  // namespace llm_host
