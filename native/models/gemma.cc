#include "models/gemma.h"

#include <algorithm>
#include <cmath>

#include "common/error.h"

namespace llm_host {

float rounded_root(int size, mx::Dtype dtype) {
  mx::array root(std::sqrt(static_cast<float>(size)));
  return mx::astype(mx::astype(root, dtype), mx::float32).item<float>();
}

void set_gemma(const Config& config, const WeightStore& weights, DecoderConfig& c) {
  c.names.after_mixer = "post_attention_layernorm";
  c.names.feed_forward_norm = "pre_feedforward_layernorm";
  c.names.after_feed_forward = "post_feedforward_layernorm";
  c.clips_residuals = true;
  // GGUF files hold 1 + w.
  c.add_one_to_norms = !weights.gguf();
  c.qkv_bias = c.output_bias = config.boolean_or("attention_bias", false);
  c.attention_scale =
      1 / std::sqrt(static_cast<float>(config.integer_or("query_pre_attn_scalar", 256)));
  c.embedding_factor = rounded_root(c.hidden, weights.stored_dtype());
}

std::vector<int> shared_caches(const std::vector<std::string>& types, int shared) {
  int own = static_cast<int>(types.size()) - shared;
  if (own < 1) throw Error(kModelBroken, "config.json: num_kv_shared_layers must leave a layer");
  std::vector<int> caches;
  for (int i = 0; i < static_cast<int>(types.size()); ++i) {
    if (i < own) {
      caches.push_back(i);
      continue;
    }
    auto last = std::find(types.rend() - own, types.rend(), types[static_cast<size_t>(i)]);
    if (last == types.rend()) {
      throw Error(kModelBroken, "config.json: layer " + std::to_string(i) + " (" +
                                    types[static_cast<size_t>(i)] +
                                    ") shares keys and values, but no layer before the last " +
                                    std::to_string(shared) + " is of its type");
    }
    caches.push_back(static_cast<int>(types.rend() - last) - 1);
  }
  return caches;
}

void ignore_shared(WeightStore& weights, const std::vector<int>& cache_of) {
  for (size_t i = 0; i < cache_of.size(); ++i) {
    if (cache_of[i] == static_cast<int>(i)) continue;
    std::string attention = "model.layers." + std::to_string(i) + ".self_attn.";
    for (const char* name : {"k_proj.", "v_proj.", "k_norm."}) weights.ignore(attention + name);
  }
}

std::vector<std::shared_ptr<const Rope>> gemma_ropes(const Config& config, const DecoderConfig& c,
                                                     const std::vector<std::string>& types) {
  RopeOptions full{.head_dim = c.head_dim, .max_positions = c.max_positions, .theta = 1000000};
  full.layer_type = "full_attention";
  RopeOptions sliding{.head_dim = c.head_dim, .max_positions = c.max_positions, .theta = 10000};
  sliding.theta_key = "rope_local_base_freq";
  sliding.layer_type = "sliding_attention";
  sliding.only_own = true;
  auto full_rope = std::make_shared<const Rope>(config, full);
  auto sliding_rope = std::make_shared<const Rope>(config, sliding);
  std::vector<std::shared_ptr<const Rope>> ropes;
  for (const std::string& type : types) {
    ropes.push_back(type == "full_attention" ? full_rope : sliding_rope);
  }
  return ropes;
}

}  // namespace llm_host
