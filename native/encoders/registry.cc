#include <map>
#include <string>

#include "encoders/decoder_encoder.h"
#include "encoders/dense_encoder.h"

namespace llm_host {
namespace {

// Inside a function, so that it exists before the first family registers.
std::map<std::string, MakeEncoder*>& encoder_families() {
  static std::map<std::string, MakeEncoder*> by_model_type;
  return by_model_type;
}

std::unique_ptr<Encoder> encoder_of_family(const Config& config, const EncoderSpec& spec,
                                           WeightStore& weights, int context_length) {
  auto family = encoder_families().find(config.string("model_type"));
  if (family != encoder_families().end())
    return family->second(config, spec, weights, context_length);
  return std::make_unique<DecoderEncoder>(config, spec, weights, context_length);
}

}  // namespace

EncoderFamily::EncoderFamily(const char* model_type, MakeEncoder* make) {
  encoder_families().emplace(model_type, make);
}

std::unique_ptr<Encoder> make_encoder(const Config& config, const EncoderSpec& spec,
                                      WeightStore& weights, int context_length) {
  std::unique_ptr<Encoder> encoder = encoder_of_family(config, spec, weights, context_length);
  if (spec.dense.empty()) return encoder;
  return std::make_unique<DenseEncoder>(std::move(encoder), spec.dense, weights);
}

}  // namespace llm_host
