#include <map>
#include <string>

#include "common/error.h"
#include "models/model.h"

namespace llm_host {
namespace {

struct Family {
  MakeModel* make;
  const Sharding* sharding;
};

// Inside a function, so that it exists before the first family registers.
std::map<std::string, Family>& families() {
  static std::map<std::string, Family> by_model_type;
  return by_model_type;
}

}  // namespace

mx::array Model::texts(const TextBatch&) const {
  throw Error(kEngine, "the model does not read whole texts");
}

ModelFamily::ModelFamily(const char* model_type, MakeModel* make, const Sharding* sharding) {
  families().emplace(model_type, Family{make, sharding});
}

const Sharding& sharding_of(const Config& config) {
  std::string type = config.string("model_type"), divisible;
  for (const auto& [name, family] : families()) {
    if (family.sharding == nullptr) continue;
    if (name == type) return *family.sharding;
    divisible += (divisible.empty() ? "" : ", ") + name;
  }
  throw Error(kModelUnsupported,
              "config.json: a model of type \"" + type +
                  "\" cannot be divided over processes yet; these can: " + divisible);
}

std::unique_ptr<Model> make_model(const Config& config, WeightStore& weights, int context_length) {
  std::string type = config.string("model_type");
  auto found = families().find(type);
  if (found != families().end()) return found->second.make(config, weights, context_length);
  std::string supported;
  for (const auto& [name, family] : families()) supported += (supported.empty() ? "" : ", ") + name;
  throw Error(kModelUnsupported, "config.json: model_type \"" + type +
                                     "\" is not supported; supported are: " + supported);
}

}  // namespace llm_host
