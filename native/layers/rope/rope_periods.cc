#include "layers/rope/rope_periods.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "common/error.h"

namespace llm_host {

std::vector<double> default_periods(double dims, double theta) {
  std::vector<double> periods;
  for (int i = 0; 2 * i < dims; ++i) periods.push_back(std::pow(theta, 2.0 * i / dims));
  return periods;
}

std::vector<double> proportional_periods(const Config& section, double turning, double dims,
                                         double theta) {
  double factor = section.has("factor") ? positive_number(section, "factor") : 1;
  std::vector<double> periods = default_periods(dims, theta);
  for (size_t i = 0; i < periods.size(); ++i) {
    bool turns = static_cast<double>(i) < turning;
    periods[i] = turns ? factor * periods[i] : std::numeric_limits<double>::infinity();
  }
  return periods;
}

std::vector<double> linear_periods(const Config& section, double dims, double theta) {
  std::vector<double> periods = default_periods(dims, theta);
  double factor = positive_number(section, "factor");
  for (double& period : periods) period *= factor;
  return periods;
}

std::vector<double> llama3_periods(const Config& section, double original, double dims,
                                   double theta) {
  double factor = positive_number(section, "factor");
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

// mlx-lm ignores attention_factor. It defaults mscale to 1 and mscale_all_dim to 0, each on its
// own.
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

double positive_number(const Config& section, std::string_view key) {
  double value = section.number(key);
  if (value <= 0) {
    throw Error(kModelBroken, "config.json: " + section.path_of(key) + " must be above 0, got " +
                                  std::to_string(value));
  }
  return value;
}

}  // namespace llm_host
