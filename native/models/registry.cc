#include <string>

#include "engine/error.h"
#include "models/llama.h"
#include "models/model.h"

namespace llm_host {
namespace {

struct Entry {
  const char* model_type;
  std::unique_ptr<Model> (*make)(const Config&, WeightStore&, int context_length);
};

constexpr Entry kModels[] = {
    {"llama", make_llama},
    {"mistral", make_llama},
};

}  // namespace

std::unique_ptr<Model> make_model(const Config& config, WeightStore& weights, int context_length) {
  std::string type = config.string("model_type");
  std::string supported;
  for (const Entry& entry : kModels) {
    if (type == entry.model_type) return entry.make(config, weights, context_length);
    supported += (supported.empty() ? "" : ", ") + std::string(entry.model_type);
  }
  throw Error(kModelUnsupported,
              "model_type \"" + type + "\" is not supported; supported are: " + supported);
}

}  // namespace llm_host
