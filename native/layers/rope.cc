#include "layers/rope.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "engine/error.h"

namespace llm_host {
namespace {

// Llama 3.1's blend: long wavelengths are stretched by `factor`, short ones kept.
std::vector<float> llama3_freqs(const Config& scaling, int dims, double theta) {
  double factor = scaling.number("factor");
  double low = scaling.number_or("low_freq_factor", 1);
  double high = scaling.number_or("high_freq_factor", 4);
  double original = scaling.number_or("original_max_position_embeddings", 8192);
  std::vector<float> freqs;
  for (int i = 0; i < dims / 2; ++i) {
    double period = std::pow(theta, 2.0 * i / dims);
    double wavelength = 2 * std::numbers::pi * period;
    if (wavelength > original / low) {
      period *= factor;
    } else if (wavelength >= original / high) {
      double smooth = (original / wavelength - low) / (high - low);
      period /= (1 - smooth) / factor + smooth;
    }
    freqs.push_back(static_cast<float>(period));
  }
  return freqs;
}

}  // namespace

Rope::Rope(const Config& config, int dims, double default_theta) : dims_(dims) {
  std::optional<Config> parameters = config.object("rope_parameters");
  double theta = config.number_or("rope_theta", default_theta);
  if (parameters) theta = parameters->number_or("rope_theta", theta);
  theta_ = static_cast<float>(theta);

  std::optional<Config> scaling = parameters ? parameters : config.object("rope_scaling");
  if (!scaling) return;
  std::string type = scaling->string_or("rope_type", scaling->string_or("type", "default"));
  if (type == "linear") {
    scale_ = static_cast<float>(1 / scaling->number("factor"));
  } else if (type == "llama3") {
    std::vector<float> freqs = llama3_freqs(*scaling, dims, theta);
    freqs_ = mx::array(freqs.begin(), mx::Shape{dims / 2});
  } else if (type != "default") {
    throw Error(kModelUnsupported, "config.json: " + scaling->path_of("rope_type") + " \"" + type +
                                       "\" is not supported; supported are: default, linear, llama3");
  }
}

mx::array Rope::operator()(const mx::array& x, int offset) const {
  std::optional<float> base;
  if (!freqs_) base = theta_;
  return mx::fast::rope(x, dims_, false, base, scale_, offset, freqs_);
}

}  // namespace llm_host
