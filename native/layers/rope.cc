#include "layers/rope.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "engine/error.h"

namespace llm_host {
namespace {

std::vector<float> default_periods(int dims, double theta) {
  std::vector<float> periods;
  for (int i = 0; i < dims / 2; ++i) {
    periods.push_back(static_cast<float>(std::pow(theta, 2.0 * i / dims)));
  }
  return periods;
}

// Llama 3.1's blend: long wavelengths are stretched by `factor`, short ones kept.
std::vector<float> llama3_periods(const Config& scaling, int dims, double theta) {
  double factor = scaling.number("factor");
  double low = scaling.number_or("low_freq_factor", 1);
  double high = scaling.number_or("high_freq_factor", 4);
  double original = scaling.number_or("original_max_position_embeddings", 8192);
  std::vector<float> periods;
  for (int i = 0; i < dims / 2; ++i) {
    double period = std::pow(theta, 2.0 * i / dims);
    double wavelength = 2 * std::numbers::pi * period;
    if (wavelength > original / low) {
      period *= factor;
    } else if (wavelength >= original / high) {
      double smooth = (original / wavelength - low) / (high - low);
      period /= (1 - smooth) / factor + smooth;
    }
    periods.push_back(static_cast<float>(period));
  }
  return periods;
}

}  // namespace

Rope::Rope(const Config& config, int dims, double default_theta) : dims_(dims) {
  std::optional<Config> parameters = config.object("rope_parameters");
  double theta = config.number_or("rope_theta", default_theta);
  if (parameters) theta = parameters->number_or("rope_theta", theta);
  theta_ = static_cast<float>(theta);

  std::optional<Config> scaling = parameters ? parameters : config.object("rope_scaling");
  std::string type = "default";
  if (scaling) type = scaling->string_or("rope_type", scaling->string_or("type", "default"));
  std::vector<float> periods = default_periods(dims, theta);
  if (type == "linear") {
    scale_ = static_cast<float>(1 / scaling->number("factor"));
  } else if (type == "llama3") {
    periods = llama3_periods(*scaling, dims, theta);
    freqs_ = mx::array(periods.begin(), mx::Shape{dims / 2});
  } else if (type != "default") {
    throw Error(kModelUnsupported,
                "config.json: " + scaling->path_of("rope_type") + " \"" + type +
                    "\" is not supported; supported are: default, linear, llama3");
  }
  for (float period : periods) frequencies_.push_back(scale_ / period);
}

mx::array Rope::operator()(const mx::array& x, int offset) const {
  std::optional<float> base;
  if (!freqs_) base = theta_;
  return mx::fast::rope(x, dims_, false, base, scale_, offset, freqs_);
}

}  // namespace llm_host
