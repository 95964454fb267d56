#include "layers/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/error.h"

namespace llm_host {
namespace {

// Positions for a whole turn of each pair, / 2π: θ^(2i / d).
std::vector<double> default_periods(double dims, double theta) {
  std::vector<double> periods;
  for (int i = 0; 2 * i < dims; ++i) periods.push_back(std::pow(theta, 2.0 * i / dims));
  return periods;
}

double positive(const Config& section, std::string_view key) {
  double value = section.number(key);
  if (value <= 0) {
    throw Error(kModelBroken, "config.json: " + section.path_of(key) + " must be above 0, got " +
                                  std::to_string(value));
  }
  return value;
}

// A key at the top wins, as in transformers; mlx-lm looks only in the section, and takes 8192 for
// llama3 and 4096 for yarn where it is missing.
double original_length(const Config& section, const Config& config, int max_positions) {
  constexpr char kKey[] = "original_max_position_embeddings";
  if (config.has(kKey)) return config.integer(kKey);
  return section.integer_or(kKey, max_positions);
}

// Llama 3.1's blend: long wavelengths are stretched by `factor`, short ones kept.
std::vector<double> llama3_periods(const Config& section, double original, double dims,
                                   double theta) {
  double factor = positive(section, "factor");
  double low = section.number_or("low_freq_factor", 1);
  double high = section.number_or("high_freq_factor", 4);
  std::vector<double> periods = default_periods(dims, theta);
  for (double& period : periods) {
    double wavelength = 2 * std::numbers::pi * period;
    if (wavelength > original / low) {
      period *= factor;
    } else if (wavelength >= original / high) {
      double smooth = (original / wavelength - low) / (high - low);
      period /= (1 - smooth) / factor + smooth;
    }
  }
  return periods;
}

// YaRN (arXiv 2309.00071): pairs that turn more than beta_fast times within the original context
// are kept, those that turn less than beta_slow times are stretched by `factor`.
std::vector<double> yarn_periods(const Config& section, double factor, double original, double dims,
                                 double theta) {
  auto dimension_of = [&](double turns) {
    return dims * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(theta));
  };
  double low = dimension_of(section.number_or("beta_fast", 32));
  double high = dimension_of(section.number_or("beta_slow", 1));
  // mlx-lm always rounds, which changes the angles of gpt-oss.
  if (section.boolean_or("truncate", true)) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, dims - 1);
  if (low == high) high += 0.001;
  std::vector<double> periods = default_periods(dims, theta);
  for (size_t i = 0; i < periods.size(); ++i) {
    double stretched = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    periods[i] = 1 / (stretched / (factor * periods[i]) + (1 - stretched) / periods[i]);
  }
  return periods;
}

// mlx-lm ignores attention_factor, and takes a missing mscale as 1 and mscale_all_dim as 0 each on
// its own.
double yarn_amplitude(const Config& section, double factor) {
  if (section.has("attention_factor")) return section.number("attention_factor");
  auto amplitude = [&](double mscale) {
    return factor <= 1 ? 1.0 : 0.1 * mscale * std::log(factor) + 1;
  };
  double mscale = section.number_or("mscale", 0), all_dim = section.number_or("mscale_all_dim", 0);
  return mscale != 0 && all_dim != 0 ? amplitude(mscale) / amplitude(all_dim) : amplitude(1);
}

std::vector<double> longrope_periods(const Config& section, std::string_view key, double dims,
                                     double theta) {
  std::vector<double> factors = section.numbers(key);
  std::vector<double> periods = default_periods(dims, theta);
  bool fits = factors.size() == periods.size() &&
              std::all_of(factors.begin(), factors.end(), [](double f) { return f > 0; });
  if (!fits) {
    throw Error(kModelBroken, "config.json: " + section.path_of(key) + " must hold " +
                                  std::to_string(periods.size()) +
                                  " numbers above 0, one for each rotated pair of channels");
  }
  for (size_t i = 0; i < periods.size(); ++i) periods[i] *= factors[i];
  return periods;
}

// The object that holds the parameters of this kind of layer, if there is one.
std::optional<Config> section_of(const Config& config, const RopeOptions& options) {
  std::optional<Config> parameters = config.object("rope_parameters");
  if (parameters && !options.layer_type.empty() && parameters->has(options.layer_type)) {
    return parameters->object(options.layer_type);
  }
  if (options.only_own) return std::nullopt;
  std::optional<Config> scaling = config.object("rope_scaling");
  return scaling ? scaling : parameters;
}

std::string type_of(const std::optional<Config>& section) {
  if (!section) return "default";
  std::string type = section->string_or("rope_type", section->string_or("type", "default"));
  // Phi-3's first files call it by its working titles.
  if (type == "su" || (type == "yarn" && section->has("long_factor"))) return "longrope";
  return type;
}

}  // namespace

RopeAngles::RopeAngles(std::vector<float> f, float a) : frequencies(std::move(f)), amplitude(a) {
  std::vector<float> periods;
  for (float frequency : frequencies) periods.push_back(1 / frequency);
  periods_ = mx::array(periods.begin(), mx::Shape{static_cast<int>(periods.size())});
}

mx::array RopeAngles::rotate(const mx::array& x, int offset) const {
  if (frequencies.empty()) return x;
  int dims = 2 * static_cast<int>(frequencies.size()), size = x.shape(-1);
  mx::array input = x;
  if (amplitude != 1) {
    mx::array factor(amplitude, x.dtype());
    if (dims == size) {
      input = mx::multiply(x, factor);
    } else {
      std::vector<mx::array> parts = mx::split(x, mx::Shape{dims}, -1);
      input = mx::concatenate({mx::multiply(parts[0], factor), parts[1]}, -1);
    }
  }
  return mx::fast::rope(input, dims, interleaved, std::nullopt, 1.0f, offset, periods_);
}

Rope::Rope(const Config& config, const RopeOptions& options)
    : max_positions_(options.max_positions) {
  std::optional<Config> section = section_of(config, options);
  auto number = [&](const char* key, double fallback) {
    return section && section->has(key) ? section->number(key) : fallback;
  };
  theta_ = number("rope_theta", config.number_or(options.theta_key, options.theta));
  double part = number("partial_rotary_factor", config.number_or("partial_rotary_factor", 1));
  dims_ = std::floor(options.head_dim * part);
  if (theta_ <= 1 || dims_ < 2 || dims_ > options.head_dim) {
    throw Error(kModelBroken, "config.json: no rotary positions can have rope_theta " +
                                  std::to_string(theta_) + " and partial_rotary_factor " +
                                  std::to_string(part) + " with heads of " +
                                  std::to_string(options.head_dim) + " channels");
  }
  // A key of mlx-lm's own; no model of the Hub is stored that way.
  interleaved_ = config.boolean_or("rope_traditional", false);

  std::string type = type_of(section);
  if (type == "default") {
    short_ = angles_of(default_periods(dims_, theta_));
  } else if (type == "linear") {
    std::vector<double> periods = default_periods(dims_, theta_);
    double factor = positive(*section, "factor");
    for (double& period : periods) period *= factor;
    short_ = angles_of(periods);
  } else if (type == "dynamic") {
    read_dynamic(*section, options.max_positions);
  } else if (type == "llama3") {
    double original = original_length(*section, config, options.max_positions);
    short_ = angles_of(llama3_periods(*section, original, dims_, theta_));
  } else if (type == "yarn") {
    double original = original_length(*section, config, options.max_positions);
    double factor =
        section->has("factor") ? positive(*section, "factor") : options.max_positions / original;
    max_positions_ = std::max(max_positions_, static_cast<int>(factor * original));
    short_ = angles_of(yarn_periods(*section, factor, original, dims_, theta_),
                       static_cast<float>(yarn_amplitude(*section, factor)));
  } else if (type == "longrope") {
    read_longrope(*section, config, options.max_positions);
  } else {
    throw Error(kModelUnsupported,
                "config.json: " + section->path_of("rope_type") + " \"" + type +
                    "\" is not supported; supported are: default, linear, dynamic, llama3, yarn, "
                    "longrope");
  }
}

// NTK-aware scaling: beyond the length that the model was trained for, the base grows with the
// sequence. Keys that are there keep the base they were made with, as in transformers and mlx-lm.
void Rope::read_dynamic(const Config& section, int max_positions) {
  factor_ = positive(section, "factor");
  if (dims_ <= 2) {
    throw Error(kModelBroken, "config.json: " + section.path_of("rope_type") +
                                  " \"dynamic\" needs more than 2 rotated channels");
  }
  switch_ = Switch::kWithLength;
  switch_length_ = max_positions;
  max_positions_ = std::max(max_positions, static_cast<int>(factor_ * max_positions));
  short_ = angles_of(default_periods(dims_, theta_));
}

// LongRoPE (arXiv 2402.13753): other factors once the sequence is longer than the original context.
// mlx-lm always takes the long ones, which is another model in every short chat.
void Rope::read_longrope(const Config& section, const Config& config, int max_positions) {
  double original = original_length(section, config, max_positions);
  double factor = section.has("factor") ? positive(section, "factor") : max_positions / original;
  double amplitude = factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
  float a = static_cast<float>(section.number_or("attention_factor", amplitude));
  switch_ = Switch::kOnceLong;
  switch_length_ = static_cast<int>(original);
  short_ = angles_of(longrope_periods(section, "short_factor", dims_, theta_), a);
  long_ = angles_of(longrope_periods(section, "long_factor", dims_, theta_), a);
}

RopeAngles Rope::angles_of(const std::vector<double>& periods, float amplitude) const {
  std::vector<float> frequencies;
  for (double period : periods) frequencies.push_back(static_cast<float>(1 / period));
  RopeAngles angles(std::move(frequencies), amplitude);
  angles.interleaved = interleaved_;
  return angles;
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
