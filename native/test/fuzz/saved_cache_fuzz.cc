// A saved KV cache for models with full attention, with windows, and with states. The last byte
// chooses the model.
#include "engine/cache/cache_file.h"
#include "fuzz/input.h"
#include "fuzz/mutate.h"
#include "fuzz/tiny_models.h"

using namespace llm_host;

namespace {

const Model& model(size_t index) {
  static const fuzz::TinyModel models[] = {fuzz::TinyModel("llama/plain"),
                                           fuzz::TinyModel("gemma3_text/rope-per-layer"),
                                           fuzz::TinyModel("granitemoehybrid/hybrid")};
  return *models[index % std::size(models)].model;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::TensorFile file(data, size);
  if (!file.valid()) return -1;
  fuzz::taken([&] {
    const Sequence sequence =
        read_cache({file.weights()}, model(data[size - 1]), {.max_positions = 64});
    if (sequence.ids.empty() || static_cast<size_t>(sequence.cache.length()) != sequence.ids.size())
      __builtin_trap();
  });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t capacity,
                                          unsigned seed) {
  return fuzz::mutate_tensor_file(data, size, capacity, seed);
}
