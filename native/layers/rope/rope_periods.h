#pragma once

#include <string_view>
#include <vector>

#include "common/value.h"

// The period of each rotated pair of channels, for each kind of rope_scaling: the positions in
// which the pair turns by one radian. `dims` rotated channels, [dims / 2] periods. `section` is the
// object of config.json that describes the scaling; a missing or wrong key of it throws
// MODEL_BROKEN.
namespace llm_host {

// θ^(2i / dims)
std::vector<double> default_periods(double dims, double theta);

// Gemma 4: the first `turning` of them, stretched by `factor` if there is one; the other pairs of
// channels never turn.
std::vector<double> proportional_periods(const Config& section, double turning, double dims,
                                         double theta);

// All of them stretched by `factor`.
std::vector<double> linear_periods(const Config& section, double dims, double theta);

// Llama 3.1: long wavelengths are stretched by `factor`, short ones kept. `original`: the context
// length before scaling.
std::vector<double> llama3_periods(const Config& section, double original, double dims,
                                   double theta);

// YaRN (arXiv 2309.00071): pairs that turn more than beta_fast times within the original context
// are kept, those that turn less than beta_slow times are stretched by `factor`.
std::vector<double> yarn_periods(const Config& section, double factor, double original, double dims,
                                 double theta);
// The factor of the rotated channels that YaRN adds.
double yarn_amplitude(const Config& section, double factor);

// LongRoPE (arXiv 2402.13753): each period has a factor of its own, listed under `key`.
std::vector<double> longrope_periods(const Config& section, std::string_view key, double dims,
                                     double theta);

// section.number(key), which must be above 0.
double positive_number(const Config& section, std::string_view key);

}  // namespace llm_host
