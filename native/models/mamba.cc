#include "models/mamba.h"

#include <limits>

#include "common/error.h"
#include "common/size_limits.h"

namespace llm_host {
namespace {

// Products of two are ints.
constexpr int kMaxMambaSize = 1 << 14, kMaxExpansion = 64;

// A number, or what transformers writes since JSON has no infinity.
float step_of(const Value& value) {
  if (const double* number = value.as<double>()) return static_cast<float>(*number);
  const auto* object = value.as<Value::Object>();
  auto text = object != nullptr ? object->find("__float__") : Value::Object::const_iterator();
  const std::string* name =
      object != nullptr && text != object->end() ? text->second.as<std::string>() : nullptr;
  if (name != nullptr && *name == "Infinity") return std::numeric_limits<float>::infinity();
  throw Error(kModelBroken, "config.json: time_step_limit must hold two numbers");
}

// Without a limit mlx-lm clamps to [0.001, 100]; transformers does not clamp. transformers ignores
// a limit when decoding; here decoding a token equals reading it in a prompt.
void read_time_step_limit(const Config& config, Mamba2::Shape& shape) {
  const Value* limit = config.find("time_step_limit");
  if (limit == nullptr) return;
  const auto* pair = limit->as<Value::Array>();
  if (pair == nullptr || pair->size() != 2) {
    throw Error(kModelBroken, "config.json: time_step_limit must hold two numbers");
  }
  shape.min_step = step_of((*pair)[0]);
  shape.max_step = step_of((*pair)[1]);
}

void check(const Mamba2::Shape& s, int channels, const std::string& source) {
  std::string heads = "config.json: mamba_n_heads (" + std::to_string(s.heads) + ")";
  if (s.heads * s.head_dim != channels) {
    throw Error(kModelBroken, heads + " times mamba_d_head (" + std::to_string(s.head_dim) +
                                  ") must be " + source + " (" + std::to_string(channels) + ")");
  }
  if (s.heads % s.groups != 0) {
    throw Error(kModelBroken,
                heads + " must be a multiple of mamba_n_groups (" + std::to_string(s.groups) + ")");
  }
}

}  // namespace

int mamba_channels(const Config& config, const DecoderConfig& c) {
  return size_or(config, "mamba_expand", 2, kMaxExpansion) * c.hidden;
}

Mamba2::Shape read_mamba(const Config& config, const DecoderConfig& c, int channels,
                         const std::string& source) {
  Mamba2::Shape s{};
  s.hidden = c.hidden;
  s.heads = size_or(config, "mamba_n_heads", 128, kMaxMambaSize);
  const Value* dims = config.find("mamba_d_head");
  bool automatic = dims == nullptr || dims->as<std::string>() != nullptr;
  s.head_dim = automatic ? channels / s.heads : size_of(config, "mamba_d_head", kMaxMambaSize);
  s.groups = size_or(config, "mamba_n_groups", 1, kMaxMambaSize);
  s.state = size_or(config, "mamba_d_state", 256, kMaxMambaSize);
  s.kernel = size_or(config, "mamba_d_conv", 4, kMaxMambaSize);
  s.conv_bias = config.boolean_or("mamba_conv_bias", true);
  s.bias = s.output_bias = config.boolean_or("mamba_proj_bias", false);
  s.eps = c.eps;
  read_time_step_limit(config, s);
  check(s, channels, source);
  return s;
}

}  // namespace llm_host
