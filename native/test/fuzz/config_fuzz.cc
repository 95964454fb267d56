// config.json of each kind of model, with the weights of a tiny one of its model_type.
#include <map>

#include "fuzz/input.h"
#include "fuzz/json.h"
#include "fuzz/tiny_models.h"

using namespace llm_host;

namespace {

// The weights of the first fixture of each model_type.
const std::map<std::string, WeightFiles>& weights() {
  static const std::map<std::string, WeightFiles> by_type = [] {
    std::map<std::string, WeightFiles> found;
    for (const char* name :
         {"gemma3_text/rope-per-layer", "gpt_oss/plain", "granitemoehybrid/hybrid", "lfm2/plain",
          "llama/plain", "qwen3_moe/plain", "smollm3/default"}) {
      fuzz::TinyModel tiny(name);
      found.emplace(Config(tiny.spec.config).string("model_type"), tiny.spec.weights);
    }
    return found;
  }();
  return by_type;
}

void load(const LoadSpec& spec) {
  WeightStore store(spec, [](uint64_t, uint64_t) {});
  std::unique_ptr<Model> model = make_model(Config(spec.config), store, 0);
  store.finish();
  ModelCache cache = model->new_cache({.max_positions = model->info().context_length});
  cache.plan(2);
  mx::array hidden = model->body(mx::zeros({1, 2}, mx::int32), cache, 1);
  mx::eval(model->head(hidden));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto config = fuzz::parse_json({reinterpret_cast<const char*>(data), size});
  if (!config) return -1;
  fuzz::taken([&] {
    LoadSpec spec;
    spec.config = std::move(*config);
    auto found = weights().find(Config(spec.config).string("model_type"));
    if (found != weights().end()) spec.weights = found->second;
    load(spec);
  });
  return 0;
}
