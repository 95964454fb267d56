// config.json of each kind of model, with the weights of a tiny one: that of test/fixtures/families
// which the key "fixture" names, as "llama/plain". "load" may ask to load it otherwise: {"exact":
// true, "bits": 4, "kv_bits": 8}.
#include <filesystem>
#include <map>

#include "fuzz/input.h"
#include "fuzz/json.h"
#include "fuzz/mutate.h"
#include "fuzz/tiny_models.h"

using namespace llm_host;
namespace fs = std::filesystem;

namespace {

// The weights of each fixture.
const std::map<std::string, WeightFiles>& weights() {
  static const std::map<std::string, WeightFiles> by_name = [] {
    const fs::path root = fs::path(FUZZ_ROOT) / "test/fixtures/families";
    std::map<std::string, WeightFiles> found;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().filename() != "model.safetensors") continue;
      const std::string name = fs::relative(entry.path().parent_path(), root).generic_string();
      found.emplace(name, fuzz::tiny_spec(name).weights);
    }
    return found;
  }();
  return by_name;
}

// As JavaScript would hand it over: it knows which numbers of bits there are.
void read_options(const Config& load, LoadSpec& spec) {
  spec.exact = load.boolean_or("exact", false);
  const int bits = load.integer_or("bits", 0, 0), kv_bits = load.integer_or("kv_bits", 0, 0);
  if (bits == 4 || bits == 8) spec.quantize = QuantizeSpec{"affine", bits, 32};
  if (kv_bits == 4 || kv_bits == 8) spec.kv_bits = kv_bits;
}

void load(const LoadSpec& spec) {
  WeightStore store(spec, [](uint64_t, uint64_t) {});
  std::unique_ptr<Model> model = make_model(Config(spec.config), store, 0);
  store.finish();
  // Fewer positions than are run below.
  if (model->info().context_length < 2) return;
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
    const Config read(spec.config);
    auto found = weights().find(read.string_or("fixture", "llama/plain"));
    if (found != weights().end()) spec.weights = found->second;
    if (const auto options = read.object("load")) read_options(*options, spec);
    load(spec);
  });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t capacity,
                                          unsigned seed) {
  return fuzz::mutate_json(data, size, capacity, seed);
}
