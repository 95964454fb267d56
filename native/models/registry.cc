#include <map>
#include <string>

#include "common/error.h"
#include "models/model.h"

namespace llm_host {
namespace {

// Inside a function, so that it exists before the first family registers.
std::map<std::string, MakeModel*>& families() {
  static std::map<std::string, MakeModel*> by_model_type;
  return by_model_type;
}

}  // namespace

ModelFamily::ModelFamily(const char* model_type, MakeModel* make) {
  families().emplace(model_type, make);
}

std::unique_ptr<Model> make_model(const Config& config, WeightStore& weights, int context_length) {
  std::string type = config.string("model_type");
  auto found = families().find(type);
  if (found != families().end()) return found->second(config, weights, context_length);
  std::string supported;
  for (const auto& [name, make] : families()) supported += (supported.empty() ? "" : ", ") + name;
  throw Error(kModelUnsupported, "config.json: model_type \"" + type +
                                     "\" is not supported; supported are: " + supported);
}

}  // namespace llm_host
