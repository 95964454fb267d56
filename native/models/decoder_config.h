#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/value.h"
#include "layers/attention.h"
#include "layers/mlp.h"
#include "layers/rope.h"

namespace llm_host {

// What a family means where its config.json says nothing: the defaults of its transformers class.
struct DecoderDefaults {
  int max_positions = 2048;
  double eps = 1e-6;
  int head_dim = 0;  // 0: hidden_size / num_attention_heads
  const char* activation_key = "hidden_act";
  const char* activation = "silu";
  const char* eps_key = "rms_norm_eps";
};

// The part of config.json that decoders share, checked, and what each family makes of it. A family
// reads it, sets what is its own, and hands it to Decoder.
struct DecoderConfig {
  // Throws MODEL_BROKEN or MODEL_UNSUPPORTED naming the key.
  explicit DecoderConfig(const Config& config, const DecoderDefaults& defaults = {});

  int hidden;
  int layers;
  int heads;
  int kv_heads;
  int head_dim;
  int vocab;
  int max_positions;
  float eps;
  Activation activation;

  // Of the feed-forward part; 0 where config.json has none, which a dense one refuses.
  int intermediate;
  bool mlp_bias = false;

  bool qkv_bias = false;
  bool output_bias = false;
  bool qk_norm = false;    // RMSNorm over each head of q and k
  bool sinks = false;      // see AttentionOptions
  float attention_scale;   // default 1 / sqrt(head_dim)
  double growth_beta = 0;  // see AttentionOptions
  double growth_length = 1;
  std::vector<int> windows;  // [layers] tokens seen; 0 = all. Default: 0
  // [layers]; null where a layer has no positions. Set by the family.
  std::vector<std::shared_ptr<const Rope>> ropes;

  // What checkpoints call the parts of a layer.
  struct Names {
    const char* mixer_norm = "input_layernorm";
    const char* feed_forward_norm = "post_attention_layernorm";
    const char* final_norm = "model.norm";
    const char* output = "o_proj";
    const char* query_norm = "q_norm";
    const char* key_norm = "k_norm";
  };
  Names names;

  bool add_one_to_norms = false;  // see NormOptions
  bool sandwich_norms = false;    // Gemma's norms behind attention and feed-forward, too
  float embedding_factor = 1;
  float residual_factor = 1;  // of what each part of a layer adds
  float logit_divisor = 1;
  float logit_cap = 0;  // logits become cap · tanh(logits / cap); 0 = they stay

  // embedding_multiplier, attention_multiplier, residual_multiplier and logits_scaling; 1 if
  // absent.
  void read_granite_multipliers(const Config& config);

  AttentionOptions attention(int layer) const;
  NormOptions norm() const;
};

// `layer_types`, with one of `allowed` for each layer; empty where config.json has none.
std::vector<std::string> layer_types(const Config& config, int layers,
                                     const std::vector<std::string>& allowed);

// windows[i] = sliding_window where layer_types[i] is "sliding_attention". `types` may be empty.
std::vector<int> windows_of(const Config& config, const DecoderConfig& c,
                            const std::vector<std::string>& types);

// The same, or sliding_window for every layer where there are no types: 0 for null, `missing` where
// config.json does not mention it. transformers looks at sliding_window alone in these families and
// mlx-lm at layer_types alone; no model of the Hub has both at odds.
std::vector<int> windows_everywhere(const Config& config, const DecoderConfig& c,
                                    const std::vector<std::string>& types, int missing);

// Qwen's `layer_types`: where config.json has none, full attention in the first max_window_layers
// if use_sliding_window, and in all layers if not. mlx-lm ignores these keys.
std::vector<std::string> qwen_layer_types(const Config& config, int layers);

// One Rope for each layer, those of a kind shared. `types` may be empty.
std::vector<std::shared_ptr<const Rope>> ropes_of(const Config& config, const DecoderConfig& c,
                                                  const std::vector<std::string>& types,
                                                  double default_theta);

inline const std::vector<std::string> kAttentionTypes = {"full_attention", "sliding_attention"};

}  // namespace llm_host
