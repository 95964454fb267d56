#include "layers/recurrent/causal_conv.h"

#include <vector>

#include "check.h"
#include "layers/cache/state_cache.h"
#include "weights/checkpoint.h"

namespace llm_host::causal_conv_test {

static const check::Suite suite("causal_conv", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});

namespace {

constexpr int kChannels = 64, kKernel = 4, kLength = 2000, kLayers = 10;

CausalConv make_conv() {
  Checkpoint checkpoint;
  checkpoint.add("conv.weight", random({kChannels, 1, kKernel}));
  WeightStore store = checkpoint.store();
  return CausalConv(store, "conv", kChannels, kKernel, false);
}

}  // namespace

TEST(what_is_kept_of_a_text_takes_no_more_memory_than_that) {
  CausalConv conv = make_conv();
  mx::array x = random({1, kLength, kChannels});
  StateCache whole, parts;
  mx::eval(conv(x, whole));
  mx::array kept = *whole.get("conv");
  mx::eval(kept);
  CHECK(kept.nbytes() == (kKernel - 1) * kChannels * sizeof(float));
  CHECK(kept.buffer_size() < 2 * kept.nbytes());
  // And it is what a text read token by token leaves.
  for (int at = 0; at < kLength; ++at) {
    mx::eval(conv(mx::slice(x, {0, at, 0}, {1, at + 1, kChannels}), parts));
  }
  CHECK(mx::array_equal(kept, *parts.get("conv")).item<bool>());
}

TEST(layers_do_not_keep_their_inputs_until_the_last_one_has_run) {
  CausalConv conv = make_conv();
  std::vector<StateCache> caches(kLayers);
  mx::array x = random({1, kLength, kChannels});
  size_t inputs = x.nbytes(), before = mx::get_active_memory();
  mx::array y = x;
  for (StateCache& cache : caches) y = conv(y, cache);
  // As a chunk of a prompt evaluates them.
  std::vector<mx::array> results;
  for (StateCache& cache : caches) results.push_back(*cache.get("conv"));
  results.push_back(y);
  mx::reset_peak_memory();
  // As a chunk of a prompt does: MLX schedules little ahead of what has run.
  size_t limit = mx::set_memory_limit(before + inputs);
  mx::eval(results);
  mx::set_memory_limit(limit);
  CHECK(mx::get_peak_memory() - before < 6 * inputs);
}

}  // namespace llm_host::causal_conv_test
