#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/value.h"
#include "layers/attention/attention.h"
#include "layers/latent/latent_attention.h"
#include "layers/mlp.h"
#include "layers/rope/rope.h"

namespace llm_host {

// A family's defaults for missing keys of config.json, as in its transformers class.
struct DecoderDefaults {
  int max_positions = 2048;
  double eps = 1e-6;
  int head_dim = 0;                           // 0: hidden_size / num_attention_heads
  const char* activation_key = "hidden_act";  // nullptr: the family reads it
  const char* activation = "silu";
  const char* eps_key = "rms_norm_eps";
  int layers = 0;  // 0: num_hidden_layers
  // intermediate_size is not a number: the family reads it.
  bool own_intermediate = false;
};

// The definition of a Decoder. The constructor reads and checks the keys of config.json that all
// decoders have; a family then sets the rest.
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

  // Width of the feed-forward network; 0 if config.json has none, which is an error in a dense one.
  int intermediate;
  bool mlp_bias = false;

  bool qkv_bias = false;
  bool output_bias = false;
  QkNorm qk_norm = QkNorm::kNone;
  bool sinks = false;        // see AttentionOptions
  float attention_scale;     // default 1 / sqrt(head_dim)
  QueryGrowth growth;        // see AttentionOptions
  float score_cap = 0;       // see AttentionOptions
  bool output_gate = false;  // see AttentionOptions
  // For a model that encodes texts and generates none: a token sees those behind it too, and a
  // window reaches as far to either side.
  bool bidirectional;        // default: unless is_causal
  std::vector<int> windows;  // [layers] tokens seen; 0 = all. Default: 0
  // [layers]; null: the layer has no positions. Set by the family.
  std::vector<std::shared_ptr<const Rope>> ropes;
  // Where layers differ in more than that: changes the options of one.
  std::function<void(int layer, AttentionOptions& options)> adjust_attention;
  // Multi-head latent attention in all layers, instead of the usual.
  std::optional<LatentAttentionOptions> latent;
  // [layers] The layer whose keys and values each attends to. Empty: each its own.
  std::vector<int> cache_of;
  // [layers] What a layer has; default: both.
  enum class Contents { kBoth, kMixer, kFeedForward };
  std::vector<Contents> contents;

  // The names of a layer's parts in checkpoints. A norm without a name is not there; `after_..` are
  // those of what a part adds to the residual stream.
  struct Names {
    const char* embedding = "model.embed_tokens";
    const char* layers = "model.layers";
    const char* attention = "self_attn";
    const char* mixer_norm = "input_layernorm";
    const char* after_mixer = nullptr;
    const char* feed_forward_norm = "post_attention_layernorm";
    const char* after_feed_forward = nullptr;
    const char* final_norm = "model.norm";
    const char* output = "o_proj";
    const char* query_norm = "q_norm";
    const char* key_norm = "k_norm";
  };
  Names names;

  // Options of the norms of layers and of the last one; eps is above.
  bool add_one_to_norms = false;
  bool layer_norms = false;  // instead of RMSNorm
  bool norm_bias = false;
  // The feed-forward network reads what the mixer reads, not what it added to the stream.
  bool parallel = false;
  bool clips_residuals = false;  // Gemma: see clipped_sum
  float embedding_factor = 1;
  float residual_factor = 1;  // of what each part of a layer adds
  bool head_bias = false;
  float logit_divisor = 1;
  float logit_cap = 0;  // logits become cap · tanh(logits / cap); 0 = off

  // embedding_multiplier, attention_multiplier, residual_multiplier and logits_scaling; 1 if
  // absent.
  void read_granite_multipliers(const Config& config);

  AttentionOptions attention(int layer) const;
  NormOptions norm() const;
};

// A factor or limit in config.json, above 0. Throws MODEL_BROKEN.
float positive_or(const Config& config, const char* key, double missing);

// `layer_types`, with one of `allowed` for each layer; empty where config.json has none.
std::vector<std::string> layer_types(const Config& config, int layers,
                                     const std::vector<std::string>& allowed);

// Attention types; where config.json has none, full attention in every `pattern`-th layer and
// windows in the others. `pattern`: 0 = no windows.
std::vector<std::string> patterned_types(const Config& config, int layers, int pattern);

// windows[i] = sliding_window where layer_types[i] is "sliding_attention". `types` may be empty.
std::vector<int> windows_of(const Config& config, const DecoderConfig& c,
                            const std::vector<std::string>& types);

// As windows_of; without types, sliding_window for every layer: 0 if it is null, `missing` if it is
// absent. For these families transformers reads only sliding_window and mlx-lm only layer_types; in
// no model on the Hub do the two disagree.
std::vector<int> windows_everywhere(const Config& config, const DecoderConfig& c,
                                    const std::vector<std::string>& types, int missing);

// Qwen's `layer_types`. Without them: full attention in the first max_window_layers if
// use_sliding_window, else in all layers. mlx-lm ignores these keys.
std::vector<std::string> qwen_layer_types(const Config& config, int layers);

// How a family's heads rotate.
struct Rotary {
  Rotary(double base, bool pairs = false, double share = 1)
      : theta(base), interleaved(pairs), part(share) {}

  // See RopeOptions.
  double theta;
  bool interleaved;
  double part;
};

// One Rope for each layer; layers of one type share theirs. `types` may be empty.
std::vector<std::shared_ptr<const Rope>> ropes_of(const Config& config, const DecoderConfig& c,
                                                  const std::vector<std::string>& types,
                                                  const Rotary& rotary);

inline const std::vector<std::string> kAttentionTypes = {"full_attention", "sliding_attention"};

}  // namespace llm_host
