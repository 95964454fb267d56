// LoRA adapters for a module of 4 rows and 6 columns.
#include "fuzz/input.h"
#include "fuzz/mutate.h"
#include "weights/adapters.h"

using namespace llm_host;

namespace {

constexpr int kOut = 4, kIn = 6;

void add(const std::vector<AdapterSpec>& specs) {
  LoadProgress progress{.report = [](uint64_t, uint64_t) {}};
  Adapters adapters(specs, progress);
  auto sum = adapters.find("m", kOut, kIn, mx::float32);
  if (!sum) return;
  const int rank = sum->down.shape(0);
  if (sum->down.shape() != mx::Shape{rank, kIn} || sum->up.shape() != mx::Shape{rank, kOut}) {
    __builtin_trap();
  }
  adapters.check_used();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::TensorFile file(data, size);
  if (!file.valid()) return -1;
  for (bool transposed : {false, true}) {
    const AdapterSpec spec{file.weights(), 2, transposed};
    fuzz::taken([&] { add({spec}); });
    fuzz::taken([&] { add({spec, spec}); });
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t capacity,
                                          unsigned seed) {
  return fuzz::mutate_tensor_file(data, size, capacity, seed);
}
