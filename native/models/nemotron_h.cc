#include <algorithm>

#include "common/error.h"
#include "common/size_limits.h"
#include "layers/experts/moe.h"
#include "layers/plain_mlp.h"
#include "layers/recurrent/ssm.h"
#include "models/decoder.h"

namespace llm_host {
namespace {

constexpr int kMaxNemotronSize = 1 << 14, kMaxNemotronWidth = 1 << 24;

enum class Block { kMamba, kAttention, kMlp, kExperts };

[[noreturn]] void refuse_block(const std::string& key, const std::string& name) {
  throw Error(kModelUnsupported, "config.json: " + key + " has \"" + name +
                                     "\", which is not supported; supported are: mamba (M), "
                                     "attention (*), mlp (-), moe (E)");
}

// In the names of transformers 5 and of earlier releases, or as letters.
Block block_of(const std::string& key, const std::string& name) {
  if (name == "mamba" || name == "linear_attention" || name == "M") return Block::kMamba;
  if (name == "attention" || name == "full_attention" || name == "*") return Block::kAttention;
  if (name == "mlp" || name == "-") return Block::kMlp;
  if (name == "moe" || name == "E") return Block::kExperts;
  refuse_block(key, name);
}

std::vector<Block> blocks_of(const Config& config) {
  std::vector<Block> blocks;
  for (const char* key : {"layers_block_type", "layer_types"}) {
    if (!config.has(key) || !blocks.empty()) continue;
    for (const std::string& name : config.strings(key)) blocks.push_back(block_of(key, name));
  }
  constexpr char kPattern[] = "hybrid_override_pattern";
  if (blocks.empty() && config.has(kPattern)) {
    for (char letter : config.string(kPattern)) {
      blocks.push_back(block_of(kPattern, std::string(1, letter)));
    }
  }
  constexpr size_t kMostLayers = 1 << 12;
  if (blocks.empty() || blocks.size() > kMostLayers) {
    throw Error(kModelBroken,
                "config.json: layers_block_type or hybrid_override_pattern must name 1 to 4096 "
                "layers, got " +
                    std::to_string(blocks.size()));
  }
  return blocks;
}

Mamba2::Shape nemotron_mamba_shape(const Config& config, const DecoderConfig& c) {
  auto size = [&](const char* key, const char* older, int missing) {
    return size_or(config, key, size_or(config, older, missing, kMaxNemotronSize),
                   kMaxNemotronSize);
  };
  Mamba2::Shape s{};
  s.hidden = c.hidden;
  s.heads = size_or(config, "mamba_num_heads", 128, kMaxNemotronSize);
  s.head_dim = size_or(config, "mamba_head_dim", 64, kMaxNemotronSize);
  s.groups = size("n_groups", "mamba_n_groups", 8);
  s.state = size_or(config, "ssm_state_size", 128, kMaxNemotronSize);
  s.kernel = size("conv_kernel", "mamba_d_conv", 4);
  s.conv_bias = config.boolean_or("use_conv_bias", config.boolean_or("mamba_conv_bias", true));
  s.bias = s.output_bias = config.boolean_or("use_bias", false);
  s.eps = c.eps;
  // As transformers clamps them; mlx-lm takes time_step_limit.
  s.min_step = static_cast<float>(
      config.number_or("time_step_min", config.number_or("mamba_dt_min", 0.001)));
  if (s.heads % s.groups != 0) {
    throw Error(kModelBroken, "config.json: mamba_num_heads (" + std::to_string(s.heads) +
                                  ") must be a multiple of n_groups (" + std::to_string(s.groups) +
                                  ")");
  }
  return s;
}

PlainMlp plain_mlp(WeightStore& weights, const std::string& path, const DecoderConfig& c,
                   int width) {
  return PlainMlp(Linear::load(weights, path + ".up_proj", width, c.hidden, c.mlp_bias),
                  Linear::load(weights, path + ".down_proj", c.hidden, width, c.mlp_bias),
                  relu_squared);
}

// Experts beside a network that every token goes through. They may work on a smaller vector than
// the stream.
FeedForward nemotron_experts(const Config& config, const DecoderConfig& c, WeightStore& weights,
                             const std::string& path) {
  if (config.integer_or("n_group", 1) > 1) {
    throw Error(kModelUnsupported, "config.json: n_group above 1 is not supported");
  }
  int experts = config.integer_or("n_routed_experts", config.integer_or("num_local_experts", 8));
  Router::Options options{.kind = Router::Kind::kSigmoidTopK,
                          .experts = experts,
                          .per_token = config.integer_or("num_experts_per_tok", 2),
                          .normalise = config.boolean_or("norm_topk_prob", true),
                          .scale = positive_or(config, "routed_scaling_factor", 1),
                          .selection_bias = path + ".gate.e_score_correction_bias"};
  int latent = size_or(config, "moe_latent_size", c.hidden, kMaxNemotronWidth);
  Experts::Shape shape{.experts = experts,
                       .hidden = latent,
                       .intermediate = config.integer_or("moe_intermediate_size", 7688)};
  shape.activation.kind = cpu::ExpertActivation::Kind::kRelu2;
  Router router(weights, path + ".gate", c.hidden, options);
  Experts all(weights, path, shape);
  std::optional<Linear> into, out_of;
  if (config.has("moe_latent_size")) {
    into = Linear::load(weights, path + ".fc1_latent_proj", latent, c.hidden, c.mlp_bias);
    out_of = Linear::load(weights, path + ".fc2_latent_proj", c.hidden, latent, c.mlp_bias);
  }
  int width = size_or(config, "moe_shared_expert_intermediate_size", 7688, kMaxNemotronWidth);
  PlainMlp shared = plain_mlp(weights, path + ".shared_experts", c, width);
  return [=](const mx::array& x) {
    mx::array y = all(into ? (*into)(x) : x, router(x));
    return mx::add(out_of ? (*out_of)(y) : y, shared(x));
  };
}

DecoderConfig decoder_of(const Config& config, const WeightStore& weights,
                         const std::vector<Block>& blocks) {
  DecoderConfig c(config, {.max_positions = 4096,
                           .eps = 1e-5,
                           .head_dim = 128,
                           .activation_key = nullptr,
                           .eps_key = "layer_norm_epsilon",
                           .layers = static_cast<int>(blocks.size())});
  for (auto [key, only] : {std::pair{"mlp_hidden_act", "relu2"}, {"mamba_hidden_act", "silu"}}) {
    if (config.string_or(key, only) == only) continue;
    throw Error(kModelUnsupported, std::string("config.json: ") + key + " must be " + only);
  }
  c.mlp_bias = config.boolean_or("mlp_bias", false);
  // Attention has neither biases, whatever attention_bias says, nor positions, though there is a
  // rope_theta.
  c.ropes.assign(blocks.size(), nullptr);
  c.names.mixer_norm = c.names.feed_forward_norm = "norm";
  c.names.attention = "mixer";
  // As published, or as transformers 5 names them.
  bool published = weights.has("backbone.embeddings.weight");
  c.names.embedding = published ? "backbone.embeddings" : "model.embeddings";
  c.names.layers = published ? "backbone.layers" : "model.layers";
  c.names.final_norm = published ? "backbone.norm_f" : "model.norm_f";
  for (size_t i = 0; i < blocks.size(); ++i) {
    bool mixes = blocks[i] == Block::kMamba || blocks[i] == Block::kAttention;
    using Contents = DecoderConfig::Contents;
    c.contents[i] = mixes ? Contents::kMixer : Contents::kFeedForward;
  }
  return c;
}

}  // namespace

// Each layer is either Mamba-2, attention without positions, a network with relu² and no gate, or
// experts like that.
static std::unique_ptr<Model> make_nemotron_h(const Config& config, WeightStore& weights,
                                              int context_length) {
  std::vector<Block> blocks = blocks_of(config);
  DecoderConfig c = decoder_of(config, weights, blocks);
  // Heads that predict several tokens at once.
  weights.ignore("mtp.");
  auto is = [&](int layer, Block block) { return blocks[static_cast<size_t>(layer)] == block; };
  Mamba2::Shape shape = nemotron_mamba_shape(config, c);
  DecoderParts parts;
  parts.state_mixer = [&](WeightStore& store, const std::string& path, int layer) -> StateMixer {
    if (!is(layer, Block::kMamba)) return nullptr;
    return Mamba2(store, path + ".mixer", shape);
  };
  parts.feed_forward = [&](WeightStore& store, const std::string& path, int layer) -> FeedForward {
    std::string mixer = path + ".mixer";
    if (is(layer, Block::kExperts)) return nemotron_experts(config, c, store, mixer);
    if (c.intermediate < 1) throw Error(kModelBroken, "config.json has no intermediate_size");
    return plain_mlp(store, mixer, c, c.intermediate);
  };
  return std::make_unique<Decoder>(config, c, weights, context_length, parts);
}

MODEL_FAMILY(nemotron_h, make_nemotron_h);

}  // namespace llm_host
