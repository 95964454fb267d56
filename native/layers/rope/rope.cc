#include "layers/rope/rope.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/error.h"
#include "layers/rope/rope_periods.h"

namespace llm_host {
namespace {

// The object with the parameters of this kind of layer, if there is one.
std::optional<Config> section_of(const Config& config, const RopeOptions& options) {
  std::optional<Config> parameters = config.object("rope_parameters");
  if (parameters && !options.layer_type.empty() && parameters->has(options.layer_type)) {
    return parameters->object(options.layer_type);
  }
  if (options.only_own) return std::nullopt;
  std::optional<Config> scaling = config.object("rope_scaling");
  return scaling ? scaling : parameters;
}

// A key at the top level wins, as in transformers. mlx-lm looks only in the section, and defaults
// to 8192 for llama3 and 4096 for yarn.
double original_length(const Config& section, const Config& config, int max_positions) {
  constexpr char kKey[] = "original_max_position_embeddings";
  if (config.has(kKey)) return config.integer(kKey);
  return section.integer_or(kKey, max_positions);
}

std::string type_of(const std::optional<Config>& section) {
  if (!section) return "default";
  std::string type = section->string_or("rope_type", section->string_or("type", "default"));
  // As the first files of Phi-3 called it.
  if (type == "su" || (type == "yarn" && section->has("long_factor"))) return "longrope";
  return type;
}

// A positive number of positions, however large a factor made it.
int whole_positions(double positions) {
  constexpr int kMost = std::numeric_limits<int>::max();
  return positions < kMost ? static_cast<int>(positions) : kMost;
}

}  // namespace

Rope::Rope(const Config& config, const RopeOptions& options)
    : max_positions_(options.max_positions) {
  std::optional<Config> section = section_of(config, options);
  auto number = [&](const char* key, double fallback) {
    return section && section->has(key) ? section->number(key) : fallback;
  };
  theta_ = options.own_theta
               ? options.theta
               : number("rope_theta", config.number_or(options.theta_key, options.theta));
  double part =
      number("partial_rotary_factor", config.number_or("partial_rotary_factor", options.part));
  dims_ = std::floor(options.head_dim * part);
  if (theta_ <= 1 || dims_ < 2 || dims_ > options.head_dim) {
    throw Error(kModelBroken, "config.json: no rotary positions can have rope_theta " +
                                  std::to_string(theta_) + " and partial_rotary_factor " +
                                  std::to_string(part) + " with heads of " +
                                  std::to_string(options.head_dim) + " channels");
  }
  // A key that only mlx-lm knows, and no model on the Hub has.
  interleaved_ = config.boolean_or("rope_traditional", options.interleaved);

  std::string type = type_of(section);
  if (type == "default") {
    short_ = angles_of(default_periods(dims_, theta_));
  } else if (type == "linear") {
    short_ = angles_of(linear_periods(*section, dims_, theta_));
  } else if (type == "dynamic") {
    read_dynamic(*section, options.max_positions);
  } else if (type == "llama3") {
    double original = original_length(*section, config, options.max_positions);
    short_ = angles_of(llama3_periods(*section, original, dims_, theta_));
  } else if (type == "yarn") {
    double original = original_length(*section, config, options.max_positions);
    double factor = section->has("factor") ? positive_number(*section, "factor")
                                           : options.max_positions / original;
    max_positions_ = std::max(max_positions_, whole_positions(factor * original));
    short_ = angles_of(yarn_periods(*section, factor, original, dims_, theta_),
                       static_cast<float>(yarn_amplitude(*section, factor)));
  } else if (type == "proportional") {
    double turning = std::floor(dims_ / 2);
    short_ = angles_of(proportional_periods(*section, turning, options.head_dim, theta_));
  } else if (type == "longrope") {
    read_longrope(*section, config, options.max_positions);
  } else {
    throw Error(kModelUnsupported,
                "config.json: " + section->path_of("rope_type") + " \"" + type +
                    "\" is not supported; supported are: default, linear, dynamic, llama3, yarn, "
                    "longrope, proportional");
  }
}

// NTK-aware scaling: beyond the length that the model was trained for, the base grows with the
// sequence. Cached keys keep the base they were made with, as in transformers and mlx-lm. HunYuan's
// `alpha` makes the base larger whatever the length.
void Rope::read_dynamic(const Config& section, int max_positions) {
  if (dims_ <= 2) {
    throw Error(kModelBroken, "config.json: " + section.path_of("rope_type") +
                                  " \"dynamic\" needs more than 2 rotated channels");
  }
  if (section.has("alpha")) {
    double growth = std::pow(positive_number(section, "alpha"), dims_ / (dims_ - 2));
    short_ = angles_of(default_periods(dims_, theta_ * growth));
    return;
  }
  factor_ = positive_number(section, "factor");
  switch_ = Switch::kWithLength;
  switch_length_ = max_positions;
  max_positions_ = std::max(max_positions, whole_positions(factor_ * max_positions));
  short_ = angles_of(default_periods(dims_, theta_));
}

// LongRoPE: other factors once the sequence is longer than the original context. mlx-lm always
// takes the long ones, which makes every short chat come from a different model.
void Rope::read_longrope(const Config& section, const Config& config, int max_positions) {
  double original = original_length(section, config, max_positions);
  double factor =
      section.has("factor") ? positive_number(section, "factor") : max_positions / original;
  double amplitude = factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
  float a = static_cast<float>(section.number_or("attention_factor", amplitude));
  switch_ = Switch::kOnceLong;
  switch_length_ = whole_positions(original);
  short_ = angles_of(longrope_periods(section, "short_factor", dims_, theta_), a);
  long_ = angles_of(longrope_periods(section, "long_factor", dims_, theta_), a);
}

RopeAngles Rope::angles_of(const std::vector<double>& periods, float amplitude) const {
  std::vector<float> frequencies;
  for (double period : periods) frequencies.push_back(static_cast<float>(1 / period));
  return RopeAngles(std::move(frequencies), amplitude, interleaved_);
}

bool Rope::restarts_at(int length) const {
  return switch_ == Switch::kOnceLong && length == switch_length_ + 1;
}

int Rope::regime(int length) const {
  if (switch_ == Switch::kNever || length <= switch_length_) return 0;
  return switch_ == Switch::kOnceLong ? 1 : length;
}

const RopeAngles& Rope::angles(int length) const {
  if (regime(length) == 0) return short_;
  if (switch_ == Switch::kOnceLong) return long_;
  if (length != stretched_length_) {
    double ratio = factor_ * length / switch_length_ - (factor_ - 1);
    double base = theta_ * std::pow(ratio, dims_ / (dims_ - 2));
    stretched_ = angles_of(default_periods(dims_, base));
    stretched_length_ = length;
  }
  return stretched_;
}

}  // namespace llm_host
