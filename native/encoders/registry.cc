#include <map>
#include <string>

#include "encoders/encoder.h"

namespace llm_host {
namespace {

// Inside a function, so that it exists before the first family registers.
std::map<std::string, MakeEncoder*>& families() {
  static std::map<std::string, MakeEncoder*> by_model_type;
  return by_model_type;
}

}  // namespace

EncoderFamily::EncoderFamily(const char* model_type, MakeEncoder* make) {
  families().emplace(model_type, make);
}

bool is_encoder(const Config& config) {
  return families().contains(config.string_or("model_type", ""));
}

std::unique_ptr<Encoder> make_encoder(const Config& config, WeightStore& weights,
                                      int context_length) {
  return families().at(config.string("model_type"))(config, weights, context_length);
}

}  // namespace llm_host
