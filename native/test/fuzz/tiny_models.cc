#include "fuzz/tiny_models.h"

#include <stdexcept>

#include "fuzz/input.h"
#include "fuzz/json.h"

namespace fuzz {

using namespace llm_host;

LoadSpec tiny_spec(const std::string& name) {
  const std::string folder = "test/fixtures/families/" + name + "/";
  const std::string weights = read_file(folder + "model.safetensors");
  auto config = parse_json(read_file(folder + "config.json"));
  TensorFile file(reinterpret_cast<const uint8_t*>(weights.data()), weights.size());
  if (!config || !file.valid()) throw std::runtime_error(folder + " is not a model");
  LoadSpec spec;
  spec.config = std::move(*config);
  spec.weights = file.weights();
  spec.weights.files = {std::string(FUZZ_ROOT) + "/" + folder + "model.safetensors"};
  return spec;
}

TinyModel::TinyModel(const std::string& name) : spec(tiny_spec(name)) {
  WeightStore store(spec, [](uint64_t, uint64_t) {});
  model = make_model(Config(spec.config), store, 0);
}

}  // namespace fuzz
